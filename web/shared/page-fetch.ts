import type { Fetch } from '@fulfillment/sdk'

/** Live data, or those of the sandbox. */
export type Mode = 'live' | 'test'

/** A call as the panel of requests shows it. */
export interface CallRecord {
  method: string
  /** Public path with its query. */
  path: string
  body: string | undefined
  /** 0: no response. */
  status: number
  durationMs: number
  requestId: string | undefined
  /** The server's time, to the second. */
  serverTime: string | undefined
  at: Date
}

export interface PageFetchOptions {
  app: 'dashboard' | 'scan'
  mode: Mode
  /** More headers of each call, unless the call has them. */
  headers?: () => Record<string, string>
  onCall: (record: CallRecord) => void
}

/** Without a key press or pointer for this long, a request is the page's own polling, which does not keep a session alive. */
const BACKGROUND_AFTER_MS = 20_000

let lastUseAt = performance.now()
/** How much of the time since then `performance.now()` may have missed: in many browsers it stands still while the device sleeps. */
let missedMs = 0
let clockWhenHidden = clockAhead()

for (const event of ['pointerdown', 'keydown', 'pointermove']) addEventListener(event, markUse, { capture: true, passive: true })

// The clock counts only while the page is hidden, as it is before the device sleeps: setting the clock makes nobody idle.
addEventListener(
  'visibilitychange',
  () => {
    if (document.visibilityState === 'hidden') clockWhenHidden = clockAhead()
    else missedMs += Math.max(0, clockAhead() - clockWhenHidden)
  },
  { capture: true },
)

function clockAhead(): number {
  return Date.now() - performance.now()
}

/** Somebody uses this page, also without a key or the pointer. */
export function markUse(): void {
  setIdle(0)
}

/** Somebody used this page so long ago, perhaps before it was loaded. */
export function setIdle(ms: number): void {
  lastUseAt = performance.now()
  missedMs = ms
}

/** How long ago somebody used this page. */
export function idleMs(): number {
  return performance.now() - lastUseAt + missedMs
}

/** The `fetch` of a page: with its session instead of a key, and a record of every call. */
export function pageFetch({ app, mode, headers = () => ({}), onCall }: PageFetchOptions): Fetch {
  return async (url, init) => {
    const startedAt = performance.now()
    const record = (response?: Response): void =>
      onCall({
        method: init.method ?? 'GET',
        path: publicPath(url, app),
        body: typeof init.body === 'string' ? init.body : undefined,
        status: response?.status ?? 0,
        durationMs: Math.round(performance.now() - startedAt),
        requestId: response?.headers.get('X-Request-Id') ?? undefined,
        serverTime: response?.headers.get('Date') ?? undefined,
        at: new Date(),
      })
    try {
      const response = await fetch(url, {
        ...init,
        headers: pageHeaders(init.headers, headers(), app, mode),
        credentials: 'same-origin',
      })
      record(response)
      return response
    } catch (error) {
      if (!isGivenUp(init.signal)) record()
      throw error
    }
  }
}

/** Whether the caller does not want the answer any more. That none came in time says something of the connection. */
const isGivenUp = (signal: AbortSignal | null | undefined): boolean =>
  signal?.aborted === true && signal.reason?.name !== 'TimeoutError'

function pageHeaders(own: HeadersInit | undefined, more: Record<string, string>, app: string, mode: Mode): Headers {
  const headers = new Headers(more)
  for (const [name, value] of new Headers(own)) headers.set(name, value)
  headers.delete('X-API-Key')
  headers.set('X-Page', app)
  headers.set('X-Page-Mode', mode)
  if (idleMs() > BACKGROUND_AFTER_MS) headers.set('X-Page-Background', '1')
  return headers
}

function publicPath(url: string, app: string): string {
  const { pathname, search } = new URL(url, location.origin)
  return pathname.replace(new RegExp(`^/${app}(?=/api/)`), '') + search
}
