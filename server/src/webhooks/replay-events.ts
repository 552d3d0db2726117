import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { getWebhook } from './read-webhooks.ts'
import type { ReplayRequest } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

// What waits or is in flight already is left as it is. What is not fanned out yet will be sent anyway.
const replay = statement<
  [tenantId: number, subscriptionId: number, since: Date, until: Date | null | undefined],
  { queued: number }
>(
  'replay_events',
  `with event as materialized (
     select e.id, e.created_at, e.topic
     from webhook_subscriptions s
     join events e on e.tenant_id = s.tenant_id and s.events && array['*', e.topic]
     where s.tenant_id = $1 and s.id = $2 and e.created_at >= $3 and e.created_at < coalesce($4::timestamptz, 'infinity') and e.id < 'evt_test_'
       and not exists (select from event_outbox o where o.tenant_id = $1 and o.event_id = e.id)
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
   ), lane as (
     update webhook_lanes l set due_at = greatest(l.held_until, least(l.due_at, now()))
     where l.tenant_id = $1 and l.subscription_id = $2 and exists (select from queued)
   )
   select count(*) as queued from queued`,
)

/**
 * Queues all events of a time range that the subscription is for, those too that it has acknowledged and those from before it was made.
 * Throws `not_found`, and `validation_error` when the subscription is inactive.
 */
export async function replayEvents(context: RequestContext, input: ReplayRequest): Promise<{ queued: number }> {
  const { active } = await getWebhook(context, input)
  if (!active)
    throw new ServiceError('validation_error', 'The webhook is inactive: turn it on with PUT and active true, then replay')
  const id = subscriptionIdOf(input.id)
  // Many events take long.
  const [row] = await context.db.runApart(replay, [context.caller.tenantId, id, input.since, input.until])
  return { queued: row?.queued ?? 0 }
}
