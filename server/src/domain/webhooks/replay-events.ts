import { statement } from '../../database/statements/statement.ts'
import { TEST_EVENT_PREFIX } from '../../delivery/index.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { askedForBy } from '../../procedures/event-topics.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { getWebhook } from './get-webhook.ts'
import { replayEventsOutput, replayEventsInput } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

/** Events read by one statement. */
const PIECE = 2_000

interface Replayed {
  /** The last event read; null at the end. */
  last: string | null
  queued: number
}

// A statement is bounded by the events it reads, whether or not the subscription has their topics. Of the first and last day all events are
// read. Pending and in-flight deliveries are left as they are. Events that are not fanned out yet
// will be sent anyway, unless they are older than the subscription.
const replayPiece = statement<
  [tenantId: number, subscriptionId: number, since: Date, until: Date, after: string, limit: number],
  Replayed
>({
  name: 'replay_events',
  connection: 'write',
  sql: `with seen as materialized (
     select e.id, e.created_at, e.topic from events e
     where e.tenant_id = $1 and e.id > $5 and e.id < '${TEST_EVENT_PREFIX}'
       and e.created_at >= date_trunc('day', $3::timestamptz) and e.created_at < date_trunc('day', $4::timestamptz) + interval '1 day'
     order by e.id limit $6
   ), event as materialized (
     select e.id, e.created_at, e.topic
     from webhook_subscriptions s join seen e on s.events && ${askedForBy('e.topic')}
     where s.tenant_id = $1 and s.id = $2 and e.created_at >= $3 and e.created_at < $4
       and (e.created_at < s.created_at or not exists (select from event_outbox o where o.tenant_id = $1 and o.event_id = e.id))
   ), finished as (
     delete from finished_deliveries d using event e
     where d.tenant_id = $1 and d.subscription_id = $2 and d.event_created_at = e.created_at and d.event_id = e.id
     returning d.event_id, d.created_at, d.attempts
   ), queued as (
     insert into waiting_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, trigger, next_attempt_at, created_at, attempts)
     select $1, $2, e.id, e.created_at, e.topic, 'replay', now(), coalesce(f.created_at, now()), coalesce(f.attempts, '[]')
     from event e left join finished f on f.event_id = e.id
     on conflict do nothing
     returning event_id
   )
   select case when count(*) = $6 then max(id) end as last, (select count(*) from queued) as queued from seen`,
})

const wakeLane = statement<[tenantId: number, subscriptionId: number], unknown>({
  name: 'wake_lane',
  connection: 'write',
  sql: `update webhook_lanes set due_at = greatest(held_until, least(due_at, now())) where tenant_id = $1 and subscription_id = $2`,
})

const databaseTime = statement<[], { now: string }>({
  name: 'database_time',
  connection: 'read',
  sql: 'select clock_timestamp() as now',
})

/**
 * Queues all events of a time range that match the subscription's topics, including acknowledged events and events from before it was
 * created. Throws `not_found`, and `validation_error` when the subscription is inactive.
 */
export const replayEvents = endpoint({
  name: 'webhooks.replay',
  scope: 'write:webhooks',
  method: 'POST',
  path: '/webhooks/{id}/replay',
  summary: 'Replay events',
  description:
    'Queues all events of the time range that match the topics of the subscription, including acknowledged, failed and skipped events, and events from before its creation. Pending deliveries are not queued twice. The subscription must be active.',
  isAddition: true,
  outsideTransaction: true,
  input: replayEventsInput,
  output: replayEventsOutput,
  run: async (context, input) => {
    const { active } = await getWebhook.run(context, input)
    if (!active)
      throw new ServiceError('validation_error', 'The subscription is inactive: set `active` to true with PUT, then replay')
    const { db, caller } = context
    const id = subscriptionIdOf(input.id)
    const end = input.until ?? new Date((await db.runOne(databaseTime, []))?.now ?? Number.NaN)
    let queued = 0
    // One transaction per statement: a single transaction would keep all queued and replaced rows locked until its end.
    for (let after: string | null = ''; after !== null;) {
      const [piece]: Replayed[] = await db.run(replayPiece, [caller.tenantId, id, input.since, end, after, PIECE])
      after = piece?.last ?? null
      queued += piece?.queued ?? 0
      if ((piece?.queued ?? 0) > 0) await db.run(wakeLane, [caller.tenantId, id])
    }
    return { queued }
  },
})
