import { parseSessionToken, type SessionToken } from '../../domain/sessions/index.ts'
import { allowListOf } from '../../runtime/allow-list.ts'
import { BriefCache } from '../brief-cache.ts'

/** What the cache reads of a session. */
interface KnownSession {
  id: number
  tenant_id: number
  key_id: number
  ip_whitelist: string[]
  ms_left: number
  ms_since_seen: number
}

/** A session with its parsed allow-list. */
export type CachedSession<Known extends KnownSession> = Known & {
  allows(address: string): boolean
  isOver(): boolean
}

/** Interval at which the last use is written. */
const TOUCH_MS = 60_000

/** How sessions of a kind are read, and their use is stored. */
interface SessionStore<Known extends KnownSession> {
  find(token: SessionToken): Promise<Known | undefined>
  touch(session: Known): Promise<void>
}

/** A session, and when it was last recorded as used. */
interface Entry<Known extends KnownSession> {
  session: CachedSession<Known>
  seenAt: number
}

/** Sessions of a kind by the value of their cookie. */
export class SessionCache<Known extends KnownSession> {
  readonly #store: SessionStore<Known>
  readonly #entries: BriefCache<Entry<Known>>

  constructor(store: SessionStore<Known>) {
    this.#store = store
    this.#entries = new BriefCache(async (value, startedAt) => {
      const token = parseSessionToken(value)
      const known = token && (await store.find(token))
      return known && { session: cachedSession(known, startedAt), seenAt: startedAt - known.ms_since_seen }
    })
  }

  /** The session of a cookie, unless it has ended. `isUse` records its use, which keeps it from expiring. */
  async find(value: string | undefined, isUse: boolean): Promise<CachedSession<Known> | undefined> {
    const entry = value === undefined ? undefined : await this.#entries.find(value)
    if (entry === undefined || entry.session.isOver()) return undefined
    if (isUse && performance.now() - entry.seenAt >= TOUCH_MS) {
      entry.seenAt = performance.now()
      await this.#store.touch(entry.session)
    }
    return entry.session
  }

  /** The session of a cookie as it is now, in every process, unless it has ended. */
  async refresh(value: string): Promise<CachedSession<Known> | undefined> {
    const entry = await this.#entries.refresh(value)
    return entry === undefined || entry.session.isOver() ? undefined : entry.session
  }

  /** Removes a session from the cache. */
  forget(tenantId: number, sessionId: number): void {
    this.#entries.forget(({ session }) => session.tenant_id === tenantId && session.id === sessionId)
  }

  /** Removes all sessions of an API key from the cache. */
  forgetKey(keyId: number): void {
    this.#entries.forget(({ session }) => session.key_id === keyId)
  }
}

function cachedSession<Known extends KnownSession>(session: Known, readAt: number): CachedSession<Known> {
  return {
    ...session,
    allows: allowListOf(session.ip_whitelist),
    isOver: () => performance.now() - readAt >= session.ms_left,
  }
}
