import type { Database } from '../database/database.ts'
import { findSession, type KnownSession, parseSessionToken, touchSession } from '../domain/sessions/index.ts'
import { allowListOf } from '../runtime/allow-list.ts'
import { BriefCache } from './brief-cache.ts'

/** A session with its parsed allow-list. */
export interface CachedSession extends KnownSession {
  allows(address: string): boolean
  isOver(): boolean
}

/** Interval at which the last use is written. */
const TOUCH_MS = 60_000

/** A session, and when it was last recorded as used. */
interface Entry {
  session: CachedSession
  seenAt: number
}

/** Sessions by the value of their cookie. */
export class SessionCache {
  readonly #db: Database
  readonly #entries: BriefCache<Entry>

  constructor(db: Database, idleHours: number) {
    this.#db = db
    this.#entries = new BriefCache(async (value, startedAt) => {
      const token = parseSessionToken(value)
      const known = token && (await findSession(db, token, idleHours))
      return known && { session: cachedSession(known, startedAt), seenAt: startedAt - known.ms_since_seen }
    })
  }

  /** The session of a cookie, unless it has ended. `isUse` records its use, which keeps it from expiring. */
  async find(value: string | undefined, isUse: boolean): Promise<CachedSession | undefined> {
    const entry = value === undefined ? undefined : await this.#entries.find(value)
    if (entry === undefined || entry.session.isOver()) return undefined
    if (isUse && performance.now() - entry.seenAt >= TOUCH_MS) {
      entry.seenAt = performance.now()
      // On the tenant's connections: a tenant with thousands of sessions must not occupy those of maintenance.
      await touchSession(this.#db.forTenant(entry.session.tenant_id), entry.session)
    }
    return entry.session
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

function cachedSession(session: KnownSession, readAt: number): CachedSession {
  return {
    ...session,
    allows: allowListOf(session.ip_whitelist),
    isOver: () => performance.now() - readAt >= session.ms_left,
  }
}
