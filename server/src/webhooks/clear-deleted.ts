import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statement.ts'

/** Deliveries that are deleted at a time: some milliseconds' work. */
const PIECE = 1_000

/** A fan-out that began before its subscription was deleted may add to what waits, for no longer than a statement may take. */
const STRAGGLERS = `interval '1 minute'`

interface Cleared {
  tenant_id: number
  subscription_id: number
  deleted: number
}

const clearNext = statement<[afterTenant: number, afterSubscription: number], Cleared>(
  'clear_deleted_subscription',
  `with subscription as materialized (
     select ctid as row, tenant_id, subscription_id, deleted_at from deleted_subscriptions
     where (tenant_id, subscription_id) > ($1, $2)
     order by tenant_id, subscription_id limit 1 for update skip locked
   ), waiting as materialized (
     select d.row from subscription s cross join lateral (
       select d.ctid as row from waiting_deliveries d
       where d.tenant_id = s.tenant_id and d.subscription_id = s.subscription_id
       order by d.event_created_at, d.event_id limit ${PIECE} for update skip locked
     ) d
   ), deleted as (
     delete from waiting_deliveries where ctid = any (array(select row from waiting)) returning 1
   ), done as (
     delete from deleted_subscriptions q using subscription s
     where q.ctid = s.row and s.deleted_at < now() - ${STRAGGLERS} and not exists (
       select from waiting_deliveries d where d.tenant_id = s.tenant_id and d.subscription_id = s.subscription_id
     )
   )
   select tenant_id, subscription_id, (select count(*) from deleted) as deleted from subscription`,
)

/**
 * Deletes what waits for deleted subscriptions: a piece of each in turn, until nothing is left. What another process has in hand is left to
 * it, and what is left when this one ends is found by the next call.
 */
export async function clearDeletedSubscriptions(db: Queryable, signal?: AbortSignal): Promise<void> {
  let deleted = PIECE
  while (deleted > 0) deleted = await clearRound(db, signal)
}

/** Deletes a piece of each subscription, and returns how many deliveries that were; 0 when it is to end. */
async function clearRound(db: Queryable, signal: AbortSignal | undefined): Promise<number> {
  let total = 0
  let last: Cleared | undefined = { tenant_id: 0, subscription_id: 0, deleted: 0 }
  for (;;) {
    if (signal?.aborted === true) return 0
    const began = performance.now()
    ;[last] = await db.runApart(clearNext, [last.tenant_id, last.subscription_id])
    if (last === undefined) return total
    total += last.deleted
    // Half of the time belongs to everybody else.
    if (last.deleted > 0) await delay(performance.now() - began)
  }
}
