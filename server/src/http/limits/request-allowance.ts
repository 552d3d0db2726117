import type { Database, Queryable } from '../../database/database.ts'
import { batchedDeletion, deleteInBatches } from '../../database/delete-in-batches.ts'
import { statement } from '../../database/statements/statement.ts'

/** The result of counting a request. */
export interface Taken {
  isAllowed: boolean
  /** Requests left in this minute. */
  remaining: number
  /** Until the minute ends. */
  msLeft: number
}

/** This process's knowledge of a key's current minute. */
interface Window {
  endsAtMs: number
  /** Leased to this process. */
  own: number
  /** Not leased to any process at the last query. */
  free: number
}

interface Lease {
  waiting: number
  done: Promise<void>
}

const WINDOW = `interval '1 minute'`
const FEW_WINDOWS = 10_000

/**
 * The size of a lease: a tenth of the free requests, or as many as are needed now. With a limit of 600, 1 in 12 requests queries the
 * database, and a process holds at most 60 requests that another one could use.
 */
const share = (free: string): string => `greatest(0, least(${free}, greatest($4::bigint, ceil((${free}) / 10.0)::bigint)))`

/** Also if the clock of Postgres was set back: a minute that ends later than one that begins now would last as long as the step. */
const OVER = `(w.ends_at <= clock_timestamp() or w.ends_at > clock_timestamp() + ${WINDOW} + interval '1 second')`
const FREE = `$3::bigint - case when ${OVER} then 0 else w.taken end`

const takeShare = statement<
  [tenantId: number, keyId: number, limit: number, needed: number],
  { taken: number; granted: number; ms_left: number }
>({
  name: 'take_rate_limit_share',
  connection: 'unsynced',
  sql: `insert into rate_limit_windows as w (tenant_id, key_id, ends_at, taken, granted)
   values ($1, $2, clock_timestamp() + ${WINDOW}, ${share('$3::bigint')}, ${share('$3::bigint')})
   on conflict (tenant_id, key_id) do update
   set ends_at = case when ${OVER} then clock_timestamp() + ${WINDOW} else w.ends_at end,
     taken = case when ${OVER} then 0 else w.taken end + ${share(FREE)},
     granted = ${share(FREE)}
   returning taken, granted, extract(epoch from ends_at - clock_timestamp())::float8 * 1000 as ms_left`,
})

/** By order of the table, which is small: an index would be written with each new minute of a key. */
const past = batchedDeletion(
  'remove_past_windows',
  'rate_limit_windows',
  `rate_limit_windows where ends_at < now() - interval '10 minutes'`,
  5_000,
)

/** Deletes counts of past minutes: every session has one, and every address of a refused sign-in. */
export async function removePastWindows(db: Queryable, stopping: AbortSignal): Promise<void> {
  await deleteInBatches(db, past, stopping)
}

/** The database that counts the requests of a tenant. */
type DatabaseOf = (tenantId: number) => Pick<Database, 'run'>

/**
 * Counts the requests of API keys or tenants per minute, across all server processes of a database. A process leases some of a key's
 * requests and then counts without a query, so few requests wait for one. Never more than the limit are allowed. With several processes,
 * fewer may be allowed, because a process may not use its lease; with one process the limit is exact.
 */
export class RequestAllowance {
  readonly #databaseOf: DatabaseOf
  readonly #limit: number
  readonly #windows = new Map<string, Window>()
  /** Number of windows at which past ones are looked for. */
  #mostWindows = FEW_WINDOWS
  readonly #leases = new Map<string, Lease>()

  constructor(databaseOf: DatabaseOf, requestsPerMinute: number) {
    this.#databaseOf = databaseOf
    this.#limit = requestsPerMinute
  }

  /** Counts one request, unless none is left in this minute. Returns a promise only if it queries the database. */
  take(tenantId: number, keyId: number): Taken | Promise<Taken> {
    const key = `${tenantId}/${keyId}`
    return takeFrom(this.#windows.get(key)) ?? this.#takeFromLease(tenantId, keyId, key)
  }

  async #takeFromLease(tenantId: number, keyId: number, key: string): Promise<Taken> {
    for (;;) {
      const lease = this.#leases.get(key) ?? this.#startLease(tenantId, keyId, key)
      lease.waiting++
      await lease.done
      const taken = takeFrom(this.#windows.get(key))
      if (taken !== undefined) return taken
    }
  }

  #startLease(tenantId: number, keyId: number, key: string): Lease {
    const lease: Lease = { waiting: 0, done: Promise.resolve() }
    // Queries in the next turn, for all requests that arrive until then.
    lease.done = Promise.resolve()
      .then(() => this.#lease(tenantId, keyId, key, lease))
      .finally(() => this.#leases.delete(key))
    this.#leases.set(key, lease)
    return lease
  }

  async #lease(tenantId: number, keyId: number, key: string, lease: Lease): Promise<void> {
    // The minute ends here no later than in the database, so that a lease is not used in the next minute.
    const askedAtMs = performance.now()
    const [row] = await this.#databaseOf(tenantId).run(takeShare, [tenantId, keyId, this.#limit, lease.waiting])
    if (row === undefined) return
    if (this.#windows.size >= this.#mostWindows) this.#forgetPast()
    this.#windows.set(key, { endsAtMs: askedAtMs + row.ms_left, own: row.granted, free: this.#limit - row.taken })
  }

  #forgetPast(): void {
    const now = performance.now()
    for (const [key, { endsAtMs }] of this.#windows) if (endsAtMs <= now) this.#windows.delete(key)
    // Not with each new window from now on, when most of them are of this minute.
    this.#mostWindows = Math.max(FEW_WINDOWS, 2 * this.#windows.size)
  }
}

/** Undefined if a query is needed. */
function takeFrom(window: Window | undefined): Taken | undefined {
  if (window === undefined) return undefined
  const msLeft = window.endsAtMs - performance.now()
  if (msLeft <= 0) return undefined
  if (window.own > 0) {
    window.own--
    return { isAllowed: true, remaining: window.own + window.free, msLeft }
  }
  return window.free > 0 ? undefined : { isAllowed: false, remaining: 0, msLeft }
}
