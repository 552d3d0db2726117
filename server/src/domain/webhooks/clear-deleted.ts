import { setTimeout as delay } from 'node:timers/promises'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'

/** Deliveries deleted at a time: takes some milliseconds. */
const PIECE = 1_000

/** A fan-out that began before the deletion may still add deliveries, within the time limit of a statement. */
const STRAGGLERS = `interval '1 minute'`

interface Cleared {
  tenant_id: number
  subscription_id: number
  deleted: number
}

const clearNext = statement<[afterTenant: number, afterSubscription: number], Cleared>({
  name: 'clear_deleted_subscription',
  connection: 'write',
  sql: `with subscription as materialized (
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
})

/**
 * Deletes the pending deliveries of deleted subscriptions: a batch of each in turn, until none is left. Subscriptions that another process
 * is working on are skipped. The next call continues what this one leaves.
 */
export async function clearDeletedSubscriptions(db: Queryable, signal?: AbortSignal): Promise<void> {
  let deleted = PIECE
  while (deleted > 0) deleted = await clearRound(db, signal)
}

/** Deletes a batch of each subscription and returns the number of deliveries; 0 when it should stop. */
async function clearRound(db: Queryable, signal: AbortSignal | undefined): Promise<number> {
  let total = 0
  let last: Cleared | undefined = { tenant_id: 0, subscription_id: 0, deleted: 0 }
  for (;;) {
    if (signal?.aborted === true) return 0
    const began = performance.now()
    ;[last] = await db.run(clearNext, [last.tenant_id, last.subscription_id])
    if (last === undefined) return total
    total += last.deleted
    // Half of the time is left to other work.
    if (last.deleted > 0) await delay(performance.now() - began)
  }
}
