import { statement } from '../../database/statement.ts'
import type { EngineConnection } from './connection.ts'

/** A tenant with events in the outbox. */
export interface PendingTenant {
  tenant_id: number
  /** Its subscriptions, counted up to one more than the fan-out takes at once. */
  subscriptions: number
}

/** What a look at the database found. */
export interface Work {
  /** The database's time, or the given one. */
  now: string
  outbox: PendingTenant[]
  /** Tenants that have deliveries due. */
  due: number[]
  /** There may be more behind these. */
  more: boolean
  /** It was found by an earlier look. */
  isOld: boolean
}

interface FoundWork extends Omit<Work, 'more' | 'isOld'> {
  lastVisited: number
  visited: number
}

/** Tenants whose events are looked at in one turn. */
export const MAX_OUTBOX_TENANTS = 16
/** Tenants from which one claim takes deliveries. */
const MAX_DUE_TENANTS = 64
/** Tenants that may have nothing due yet, only something waiting. */
const MAX_VISITED = 500

/** Subscriptions are counted no further than this. */
export const SUBSCRIPTIONS_COUNTED = 2_001

// Each tenant costs one descent into an index, however much it has waiting: that is what makes the order of tenants independent of their
// backlogs. A tenant's first entry of webhook_lanes_due_by_tenant is its earliest.
const findWork = statement<[now: Date | null, outboxAfter: number, dueAfter: number, full: number[]], FoundWork>(
  'find_delivery_work',
  `with recursive outbox (number, tenant_id) as (
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
     (select coalesce(json_agg(json_build_object('tenant_id', o.tenant_id, 'subscriptions', s.count) order by o.number), '[]')
      from outbox o cross join lateral (
        select count(*) as count
        from (select from webhook_subscriptions s where s.tenant_id = o.tenant_id limit ${SUBSCRIPTIONS_COUNTED}) s
      ) s
      where o.number > 0) as outbox,
     (select coalesce(json_agg(tenant_id order by number), '[]') from due) as due,
     (select count(*) from visited) as visited,
     case when (select count(*) from due) = ${MAX_DUE_TENANTS} then (select max(tenant_id) from due)
       else (select coalesce(max(tenant_id), 0) from visited) end as "lastVisited"`,
)

/** A look that takes longer than this is followed by a rest of ten times as long: dead index entries may lie in its way. */
const QUICK_MS = 20
const LONGEST_REST_MS = 1_000

/** Looks for work, at tenants in turn: each look begins behind the tenants of the one before. */
export class WorkFinder {
  readonly #connection: EngineConnection
  #outboxAfter = 0
  #dueAfter = 0
  #restUntil = -Infinity
  #last: Work | undefined

  constructor(connection: EngineConnection) {
    this.#connection = connection
  }

  /** Looks; `now` undefined stands for the database's time. While it rests, what the last look found may still be there. */
  async find(now: Date | undefined, full: number[]): Promise<Work> {
    if (this.#last !== undefined && performance.now() < this.#restUntil) return { ...this.#last, isOld: true }
    const began = performance.now()
    const [found] = await this.#connection.run(findWork, [now ?? null, this.#outboxAfter, this.#dueAfter, full])
    const tookMs = performance.now() - began
    this.#restUntil = tookMs > QUICK_MS ? began + Math.min(tookMs * 11, tookMs + LONGEST_REST_MS) : -Infinity
    return (this.#last = this.#moveOn(found as FoundWork))
  }

  #moveOn({ now, outbox, due, visited, lastVisited }: FoundWork): Work {
    const outboxLeft = outbox.length === MAX_OUTBOX_TENANTS
    const dueLeft = due.length === MAX_DUE_TENANTS || visited === MAX_VISITED
    // A look that did not begin with the first tenant has not seen those before.
    const more = outboxLeft || dueLeft || this.#outboxAfter > 0 || this.#dueAfter > 0
    this.#outboxAfter = outboxLeft ? (outbox.at(-1)?.tenant_id ?? 0) : 0
    this.#dueAfter = dueLeft ? lastVisited : 0
    return { now, outbox, due, more, isOld: false }
  }
}
