import { askedForBy } from '../procedures/event-topics.ts'
import { statement } from '../database/statements/statement.ts'
import { SYNCHRONOUS_COMMIT_OFF } from './connection.ts'

/** Events of a tenant that a fan-out took. */
export interface Taken {
  tenantId: number
  events: number
  /** Id of the last event. */
  last: string
  /** The value that `synchronous_commit` was set to. */
  durability: string
}

/**
 * SQL that inserts the deliveries of `delivery` (tenant_id, event_id, event_created_at, topic, subscription_id, active). `$1` is the time.
 * The lanes are locked in key order, as in the statement that records results, so the two never deadlock.
 */
const QUEUE = `
   skipped as (
     insert into finished_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at)
     select tenant_id, subscription_id, event_id, event_created_at, topic, 'skipped', $1::timestamptz, $1 from delivery where not active
     on conflict do nothing
   ), queued as (
     insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, next_attempt_at, created_at)
     select tenant_id, subscription_id, event_id, event_created_at, topic, $1, $1 from delivery where active
     on conflict do nothing
     returning tenant_id, subscription_id
   ), lane as (
     select l.tenant_id, l.subscription_id
     from (select distinct tenant_id, subscription_id from queued) d
     join webhook_lanes l on l.tenant_id = d.tenant_id and l.subscription_id = d.subscription_id
     order by l.tenant_id, l.subscription_id
     for no key update of l
   ), woken as (
     update webhook_lanes l set due_at = greatest(l.held_until, least(l.due_at, $1))
     from lane where l.tenant_id = lane.tenant_id and l.subscription_id = lane.subscription_id
   )`

/** SQL for whether a subscription `s` gets an event `t`. */
const IS_FOR = `s.events && ${askedForBy('t.topic')} and s.created_at <= t.event_created_at`

/** Fans out the oldest events of each tenant, starting at its outbox position, up to its quota. */
export const fanOutEvents = statement<[now: Date, tenants: number[], since: string[], quotas: number[]], Taken>({
  name: 'fan_out_events',
  connection: 'write',
  sql: `with tenant as materialized (
     select * from unnest($2::bigint[], $3::text[], $4::int[]) as t (tenant_id, since, quota)
   ), next as materialized (
     select o.row from tenant t cross join lateral (
       select o.ctid as row from event_outbox o
       where o.tenant_id = t.tenant_id and o.event_id >= t.since
       order by o.event_id limit t.quota for update skip locked
     ) o
   ), taken as (
     delete from event_outbox where ctid = any (array(select row from next)) returning *
   ), delivery as (
     select t.tenant_id, t.event_id, t.event_created_at, t.topic, s.id as subscription_id, s.active
     from taken t join webhook_subscriptions s on s.tenant_id = t.tenant_id and s.id > t.fanned_out_to and ${IS_FOR}
   ), ${QUEUE}
   select tenant_id as "tenantId", count(*) as events, max(event_id) as last, (select ${SYNCHRONOUS_COMMIT_OFF}) as durability from taken group by tenant_id`,
})

/** Fans out an event to the next of very many subscriptions. The event stays in the outbox until every subscription has it. */
export const fanOutPart = statement<[now: Date, tenantId: number, since: string, subscriptions: number], Taken>({
  name: 'fan_out_part_of_event',
  connection: 'write',
  sql: `with next as materialized (
     select o.ctid as row, o.* from event_outbox o where o.tenant_id = $2 and o.event_id >= $3
     order by o.event_id limit 1 for update skip locked
   ), part as materialized (
     select s.* from next n cross join lateral (
       select s.id, s.events, s.active, s.created_at from webhook_subscriptions s
       where s.tenant_id = n.tenant_id and s.id > n.fanned_out_to
       order by s.id limit $4
     ) s
   ), size as materialized (
     select count(*) = $4 as is_full, max(id) as last from part
   ), delivery as (
     select t.tenant_id, t.event_id, t.event_created_at, t.topic, s.id as subscription_id, s.active from next t join part s on ${IS_FOR}
   ), ${QUEUE}, progress as (
     update event_outbox set fanned_out_to = (select last from size)
     where ctid = any (array(select row from next)) and (select is_full from size)
   ), done as (
     delete from event_outbox where ctid = any (array(select row from next)) and not (select is_full from size)
   )
   select tenant_id as "tenantId", 1 as events, event_id as last, (select ${SYNCHRONOUS_COMMIT_OFF}) as durability from next`,
})
