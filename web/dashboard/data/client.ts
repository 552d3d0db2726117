import { QueryClient } from '@tanstack/react-query'
import { type Mode, pageClient, type Session, sessionCall } from '../../shared/api.ts'
import type { CallRecord } from '../../shared/page-fetch.ts'
import { createStore } from './store.ts'

const TEST_PATH = /^\/dashboard\/test(\/|$)/

/** The mode is in the address, so that two tabs never mislead each other. Another mode is another document. */
export const MODE: Mode = TEST_PATH.test(location.pathname) ? 'test' : 'live'

/** What every address of this document starts with. */
export const BASE_PATH = MODE === 'test' ? '/dashboard/test' : '/dashboard'

const MAX_CALLS = 50

/** The last calls of this tab, newest first. */
export const calls = createStore<readonly CallRecord[]>([])

/** When the server last responded to this tab, with anything but an error of its own or of a proxy. */
export const respondedAt = createStore<Date | undefined>(undefined)

/** How many pulses were lost since then. One may get lost; after the second one the page says that there is no connection. */
export const lostPulses = createStore(0)

/** How far the server's clock is ahead of this computer's. */
let aheadMs = 0
/** A smaller difference comes from the way of the response. */
const TOLERANCE_MS = 2_000

/** The time by the server's clock, which the times of records are of: this computer's may be wrong. */
export const serverNow = (): number => Date.now() + aheadMs

const onCall = (call: CallRecord): void => {
  const ahead = Date.parse(call.serverTime ?? '') - call.at.getTime()
  if (Math.abs(ahead - aheadMs) > TOLERANCE_MS) aheadMs = ahead
  if (call.status > 0 && call.status < 500) {
    respondedAt.set(() => call.at)
    lostPulses.set(() => 0)
  }
  if (call.path.startsWith('/api/')) calls.set((earlier) => [call, ...earlier].slice(0, MAX_CALLS))
}

/** Up to where the log of the database is known to this page: what it reads must not be older. */
export const positionSeen = createStore<string | undefined>(undefined)

/** The tenant that this document shows. All tabs share the cookie, so the session may have become that of another tenant. */
export const tenantShown = createStore<number | undefined>(undefined)

const headers = (): Record<string, string> => {
  const position = positionSeen.get()
  const tenant = tenantShown.get()
  return {
    ...(position === undefined ? {} : { 'X-Page-Position': position }),
    ...(tenant === undefined ? {} : { 'X-Page-Tenant': String(tenant) }),
  }
}

/** Of every call of this page. */
export const pageOptions = { app: 'dashboard', mode: MODE, headers, onCall } as const

export const client = pageClient(pageOptions)

/** The first session that is read says which tenant this document shows. */
export async function readSession(): Promise<Session> {
  const session = await sessionCall<Session>(pageOptions, 'GET', '/session')
  tenantShown.set((shown) => shown ?? session.tenant.id)
  return session
}

export const startSession = (input: { key: string } | { code: string }): Promise<Session> =>
  sessionCall<Session>(pageOptions, 'POST', '/session', { body: input })

/** A list that is exported, and its filters. */
export interface ListToExport {
  resource: 'orders' | 'products' | 'movements' | 'levels' | 'inbound' | 'returns' | 'counts' | 'audit' | 'deliveries'
  /** As the list's operation takes them. */
  query: object
}

/** A link that downloads the whole list. It works for a minute. */
export const startExport = (list: ListToExport): Promise<{ url: string }> =>
  sessionCall<{ url: string }>(pageOptions, 'POST', '/exports', { body: list })

export const endSession = (): Promise<unknown> => sessionCall(pageOptions, 'DELETE', '/session')

/** Visible queries are read again after a minute; what comes back from the cache is read again at once. */
export const queries = new QueryClient({
  defaultOptions: { queries: { retry: false, refetchInterval: 60_000, refetchOnWindowFocus: true, networkMode: 'always' } },
})
