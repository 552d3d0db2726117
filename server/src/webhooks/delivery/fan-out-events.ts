import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'
import { indexedTransaction } from './planner.ts'

/** Kept small enough that results and claims wait only some milliseconds for it. */
export const FAN_OUT_BATCH = 500

// The lanes are locked in the order of their keys, as by the statement that records results, so that the two never wait for each other.
const fanOut = statement<[limit: number, now: Date], { taken: number }>(
  'fan_out_events',
  `with next as (
     select tenant_id, event_id from event_outbox order by tenant_id, event_id limit $1 for update skip locked
   ), taken as (
     delete from event_outbox o using next where o.tenant_id = next.tenant_id and o.event_id = next.event_id returning o.*
   ), delivery as (
     insert into webhook_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, state, next_attempt_at, created_at, completed_at)
     select t.tenant_id, s.id, t.event_id, t.event_created_at, t.topic,
       case when s.active then 'pending' else 'skipped' end, case when s.active then $2::timestamptz end, $2, case when not s.active then $2 end
     from taken t
     join webhook_subscriptions s on s.tenant_id = t.tenant_id and s.events && array['*', t.topic] and s.created_at <= t.event_created_at
     on conflict do nothing
     returning tenant_id, subscription_id, state
   ), lane as (
     select l.tenant_id, l.subscription_id
     from (select distinct tenant_id, subscription_id from delivery where state = 'pending') d
     join webhook_lanes l on l.tenant_id = d.tenant_id and l.subscription_id = d.subscription_id
     order by l.tenant_id, l.subscription_id
     for no key update of l
   ), woken as (
     update webhook_lanes l set due_at = greatest(l.held_until, least(l.due_at, $2))
     from lane where l.tenant_id = lane.tenant_id and l.subscription_id = lane.subscription_id
   )
   select count(*) as taken from taken`,
)

/** Turns some of the events that subscriptions wait for into deliveries, and returns how many events it took. */
export async function fanOutEvents(db: Queryable, now: Date): Promise<number> {
  const row = await indexedTransaction(db, (tx) => tx.runOne(fanOut, [FAN_OUT_BATCH, now]))
  return row?.taken ?? 0
}
