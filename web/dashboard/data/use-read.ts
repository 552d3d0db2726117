import type { FulfillmentClient, RequestOptions } from '@fulfillment/sdk'
import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { isNoSession } from '../../shared/api.ts'
import { client } from './client.ts'
import type { ReadMeta } from './pulse.ts'
import { useScreenRead } from './screen-reads.tsx'
import { whenSignedIn } from './session.tsx'

/** A call that reads: the SDK's, with the options that end it when nobody waits any more. */
export type Read<T> = (client: FulfillmentClient, options: RequestOptions) => PromiseLike<T>

const PENDING_EVERY_MS = 3_000
const EVERY_MS = 60_000

export interface ReadOptions<T = unknown> {
  enabled?: boolean
  /** The read that the screen is about: first among its curl commands. */
  isMain?: boolean
  /** How often to read it while it is on screen. */
  everyMs?: number
  /** Whether it is read again when the browser's tab comes to the front. */
  onFocus?: boolean
  /** Whether what was read will soon change by itself: then it is read every three seconds. */
  isPending?: (data: T) => boolean
  /** Whether what was read stays as it is: it is not read again while it is on screen. */
  isFinal?: boolean
  /** Whether orders change what was read, too: while the tenant reserves, they change what is available. */
  showsOrders?: (data: T) => boolean
  /** Keeps what was there while another page or filter is read. */
  keep?: boolean
}

/** Reads over the SDK. What is there already stays while newer data comes. */
export function useRead<T>(key: readonly unknown[], read: Read<T>, options: ReadOptions<T> = {}): UseQueryResult<T> {
  const { enabled = true, isMain = false, everyMs = EVERY_MS, onFocus = true, isPending, isFinal = false, keep = true } = options
  const meta: ReadMeta<T> = { showsOrders: options.showsOrders }
  useScreenRead(JSON.stringify(key), enabled ? (captured) => read(captured, {}) : undefined, isMain)
  return useQuery({
    queryKey: key,
    queryFn: ({ signal }) => untilSignedIn(() => Promise.resolve(read(client, { signal })), signal),
    enabled,
    meta,
    refetchOnWindowFocus: onFocus,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...(isFinal ? { staleTime: Infinity, gcTime: 0 } : {}),
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return everyMs
      if (isFinal) return false
      return isPending?.(data) === true ? PENDING_EVERY_MS : everyMs
    },
  })
}

/** A read whose session has ended goes on after the sign-in over the screen. */
export async function untilSignedIn<T>(read: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!isNoSession(error) || signal?.aborted === true) throw error
      await whenSignedIn()
    }
  }
}
