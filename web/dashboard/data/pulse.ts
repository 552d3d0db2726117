import type { Query } from '@tanstack/react-query'
import { pageFetch } from '../../shared/page-fetch.ts'
import { pageOptions, positionSeen } from './client.ts'

/** What a pulse tells apart. */
export type PulseKind = 'orders' | 'products' | 'stock' | 'flows'

/** A token for each kind, which is another one after a change. */
export type Tokens = Record<PulseKind, string>

/** What the page knows of the pulse. */
export interface Known {
  tag: string
  tokens: Tokens
}

/** Without an answer, the next pulse follows: longer than a busy server takes, shorter than what a person takes for live. */
const TIMEOUT_MS = 10_000

const fetchPulse = pageFetch(pageOptions)

/** Reads the pulse. Returns what was known when nothing has changed since. */
export async function readPulse(known: Known | undefined): Promise<Known> {
  const response = await fetchPulse('/dashboard/pulse', {
    // The page asks by itself: this keeps no session alive.
    headers: { 'X-Page-Background': '1', ...(known === undefined ? {} : { 'If-None-Match': known.tag }) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (response.status === 304 && known !== undefined) return known
  if (!response.ok) throw new PulseRefused(response)
  const { data } = (await response.json()) as { data: Tokens }
  positionSeen.set(() => response.headers.get('X-Page-Position') ?? undefined)
  return { tag: response.headers.get('ETag') ?? '', tokens: data }
}

/** The server's refusal of a pulse. */
export class PulseRefused extends Error {
  readonly status: number
  /** How long the server asks to wait. */
  readonly waitMs: number

  constructor({ status, headers }: Response) {
    super(`HTTP ${status}`)
    this.status = status
    this.waitMs = (Number(headers.get('Retry-After')) || 0) * 1_000
  }
}

/** The kinds whose tokens differ. */
export function changedKinds(before: Tokens, after: Tokens): PulseKind[] {
  return (Object.keys(after) as PulseKind[]).filter((kind) => before[kind] !== after[kind])
}

/** By the first part of the key of a read: the kinds that it shows. What is not here shows none. */
const SHOWN: Record<string, readonly PulseKind[]> = {
  orders: ['orders'],
  order: ['orders', 'flows', 'stock'],
  queue: ['orders', 'flows', 'stock'],
  flows: ['flows', 'stock'],
  flow: ['flows', 'stock'],
  products: ['products'],
  product: ['products', 'stock'],
  stock: ['stock', 'products'],
  reservations: ['orders', 'stock'],
  inbound: ['stock'],
  'inbound record': ['stock'],
  shipments: ['orders'],
  shipment: ['orders'],
  returns: ['stock'],
  return: ['stock'],
  counts: ['stock'],
  count: ['stock'],
  movements: ['stock'],
  events: ['orders', 'products', 'stock', 'flows'],
}

/** What a read says of itself. */
export interface ReadMeta<T = unknown> extends Record<string, unknown> {
  /** Whether orders change what was read, beside the kinds of its key. */
  showsOrders?: ((data: T) => boolean) | undefined
}

/** Whether what a read shows has changed. */
export function shows({ queryKey, state: { data }, meta }: Query, changed: readonly PulseKind[]): boolean {
  if (SHOWN[String(queryKey[0])]?.some((kind) => changed.includes(kind)) === true) return true
  const { showsOrders } = (meta ?? {}) as ReadMeta
  return changed.includes('orders') && data !== undefined && showsOrders?.(data) === true
}
