import { statement } from '../database/statements/statement.ts'
import type { EngineConnection } from './connection.ts'

/** A tenant with events in the outbox. */
export interface PendingTenant {
  tenantId: number
  /** Number of its subscriptions, counted up to `SUBSCRIPTIONS_COUNTED`. */
  subscriptions: number
}

/** The result of a query for work. */
export interface Work {
  /** The database's time, or the given time. */
  now: string
  outbox: PendingTenant[]
  /** Tenants with due deliveries. */
  due: number[]
  /** The next time at which a delivery is due, as far as the query saw. */
  nextDue: string | null
  /** There may be more tenants. */
  more: boolean
  /** True for a result of an earlier query. */
  isOld: boolean
}

interface FoundWork extends Omit<Work, 'more' | 'isOld'> {
  lastVisited: number
  visited: number
  /** Time spent in Postgres. */
  tookMs: number
}

/** Tenants whose outbox is read in one turn. */
export const MAX_OUTBOX_TENANTS = 16
/** Maximum number of tenants in one claim. */
const MAX_DUE_TENANTS = 64
/** Maximum number of tenants visited, most of which may have pending deliveries but none due. */
const MAX_VISITED = 500

/** Limit of the count of subscriptions. */
export const SUBSCRIPTIONS_COUNTED = 2_001

// Each tenant costs one index descent regardless of its backlog, so tenants are visited in the order of their ids. A tenant's first entry
// in webhook_lanes_due_by_tenant is its earliest.
const findWork = statement<[now: Date | null, outboxAfter: number, dueAfter: number, full: number[]], FoundWork>({
  name: 'find_delivery_work',
  connection: 'read',
  // There is at least one due tenant in this case.
  notNull: ['lastVisited'],
  sql: `with recursive outbox (number, tenant_id) as (
     select 0, $2::bigint
     union all
     select t.number + 1, next.tenant_id
     from outbox t cross join lateral (
       select o.tenant_id from event_outbox o where o.tenant_id > t.tenant_id order by o.tenant_id limit 1
     ) next
     where t.number < ${MAX_OUTBOX_TENANTS}
   ), lane (number, tenant_id, due_at) as (
     select 0, $3::bigint, null::timestamptz
     union all
     select t.number + 1, next.tenant_id, next.due_at
     from lane t cross join lateral (
       select l.tenant_id, l.due_at from webhook_lanes l
       where l.tenant_id > t.tenant_id and l.due_at is not null
       order by l.tenant_id, l.due_at limit 1
     ) next
     where t.number < ${MAX_VISITED}
   ), visited as materialized (select * from lane where number > 0),
   due as materialized (
     select number, tenant_id from visited
     where due_at <= coalesce($1::timestamptz, clock_timestamp()) and tenant_id <> all ($4::bigint[])
     order by number limit ${MAX_DUE_TENANTS}
   )
   select coalesce($1::timestamptz, clock_timestamp()) as now,
     (select coalesce(json_agg(json_build_object('tenantId', o.tenant_id, 'subscriptions', s.count) order by o.number), '[]')
      from outbox o cross join lateral (
        select count(*) as count
        from (select from webhook_subscriptions s where s.tenant_id = o.tenant_id limit ${SUBSCRIPTIONS_COUNTED}) s
      ) s
      where o.number > 0) as outbox,
     (select coalesce(json_agg(tenant_id order by number), '[]') from due) as due,
     (select min(due_at) from visited where due_at > coalesce($1::timestamptz, clock_timestamp())) as "nextDue",
     (select count(*) from visited) as visited,
     case when (select count(*) from due) = ${MAX_DUE_TENANTS} then (select max(tenant_id) from due)
       else (select coalesce(max(tenant_id), 0) from visited) end as "lastVisited",
     extract(epoch from clock_timestamp() - statement_timestamp())::float8 * 1000 as "tookMs"`,
})

/** After two queries that take longer than this, the engine pauses for ten times as long: dead index entries may be slowing them down. */
const QUICK_MS = 20
const PAUSE = 10
const LONGEST_REST_MS = 1_000

/** Queries for work. Each query continues after the last tenant of the previous one. */
export class WorkFinder {
  readonly #connection: EngineConnection
  #outboxAfter = 0
  #dueAfter = 0
  #restUntil = -Infinity
  #tookMs = 0
  #last: Work | undefined

  constructor(connection: EngineConnection) {
    this.#connection = connection
  }

  /** Finds work due at `now`, by default the database's time. During a pause it returns the last result, which may be out of date. */
  async find(now: Date | undefined, full: number[]): Promise<Work> {
    if (this.#last !== undefined && performance.now() < this.#restUntil) return { ...this.#last, isOld: true }
    const [found] = await this.#connection.run(findWork, [now ?? null, this.#outboxAfter, this.#dueAfter, full])
    const { tookMs } = found as FoundWork
    // Dead index entries slow down every query. A single slow query had to wait for the processor.
    const slowMs = Math.min(tookMs, this.#tookMs)
    this.#tookMs = tookMs
    this.#restUntil = slowMs > QUICK_MS ? performance.now() + Math.min(slowMs * PAUSE, LONGEST_REST_MS) : -Infinity
    return (this.#last = this.#moveOn(found as FoundWork))
  }

  #moveOn({ now, outbox, due, nextDue, visited, lastVisited }: FoundWork): Work {
    const outboxLeft = outbox.length === MAX_OUTBOX_TENANTS
    const dueLeft = due.length === MAX_DUE_TENANTS || visited === MAX_VISITED
    // A query that did not begin with the first tenant has not seen the earlier tenants.
    const more = outboxLeft || dueLeft || this.#outboxAfter > 0 || this.#dueAfter > 0
    this.#outboxAfter = outboxLeft ? (outbox.at(-1)?.tenantId ?? 0) : 0
    this.#dueAfter = dueLeft ? lastVisited : 0
    return { now, outbox, due, nextDue, more, isOld: false }
  }
}
