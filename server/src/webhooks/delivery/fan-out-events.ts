import { statement } from '../../database/statement.ts'
import type { EngineConnection } from './connection.ts'

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
     select t.*, s.id as subscription_id, s.active
     from taken t
     join webhook_subscriptions s on s.tenant_id = t.tenant_id and s.events && array['*', t.topic] and s.created_at <= t.event_created_at
   ), skipped as (
     insert into finished_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at)
     select tenant_id, subscription_id, event_id, event_created_at, topic, 'skipped', $2::timestamptz, $2 from delivery where not active
     on conflict do nothing
   ), queued as (
     insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
     select tenant_id, subscription_id, event_id, event_created_at, topic, $2, $2 from delivery where active
     on conflict do nothing
     returning tenant_id, subscription_id
   ), lane as (
     select l.tenant_id, l.subscription_id
     from (select distinct tenant_id, subscription_id from queued) d
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
export async function fanOutEvents(connection: EngineConnection, now: Date): Promise<number> {
  const [row] = await connection.run(fanOut, [FAN_OUT_BATCH, now])
  return row?.taken ?? 0
}
