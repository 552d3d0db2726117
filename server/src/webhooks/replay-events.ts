import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { getWebhook } from './read-webhooks.ts'
import type { ReplayRequest } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

/** Events that one statement looks at. */
const PIECE = 2_000

interface Replayed {
  /** The last event that was looked at; null behind the last one. */
  last: string | null
  queued: number
}

// A piece is bounded by the events that it looks at, whether the subscription is for them or not; of days that the range touches in part all
// are looked at. What waits or is in flight already is left as it is. What is not fanned out yet will be sent anyway.
const replayPiece = statement<
  [tenantId: number, subscriptionId: number, since: Date, until: Date, after: string, limit: number],
  Replayed
>(
  'replay_events',
  `with seen as materialized (
     select e.id, e.created_at, e.topic from events e
     where e.tenant_id = $1 and e.id > $5 and e.id < 'evt_test_'
       and e.created_at >= date_trunc('day', $3::timestamptz) and e.created_at < date_trunc('day', $4::timestamptz) + interval '1 day'
     order by e.id limit $6
   ), event as materialized (
     select e.id, e.created_at, e.topic
     from webhook_subscriptions s join seen e on s.events && array['*', e.topic]
     where s.tenant_id = $1 and s.id = $2 and e.created_at >= $3 and e.created_at < $4
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
   )
   select case when count(*) = $6 then max(id) end as last, (select count(*) from queued) as queued from seen`,
)

const wakeLane = statement<[tenantId: number, subscriptionId: number], unknown>(
  'wake_lane',
  `update webhook_lanes set due_at = greatest(held_until, least(due_at, now())) where tenant_id = $1 and subscription_id = $2`,
)

const databaseTime = statement<[], { now: string }>('database_time', 'select clock_timestamp() as now')

/**
 * Queues all events of a time range that the subscription is for, those too that it has acknowledged and those from before it was made.
 * Throws `not_found`, and `validation_error` when the subscription is inactive.
 */
export async function replayEvents(context: RequestContext, input: ReplayRequest): Promise<{ queued: number }> {
  const { active } = await getWebhook(context, input)
  if (!active)
    throw new ServiceError('validation_error', 'The webhook is inactive: turn it on with PUT and active true, then replay')
  const { db, caller } = context
  const id = subscriptionIdOf(input.id)
  const end = input.until ?? new Date((await db.runOne(databaseTime, []))?.now ?? Number.NaN)
  let queued = 0
  // Many statements, each its own transaction: one alone would keep what it queues and replaces locked until its end.
  for (let after: string | null = ''; after !== null;) {
    const [piece]: Replayed[] = await db.runApart(replayPiece, [caller.tenantId, id, input.since, end, after, PIECE])
    after = piece?.last ?? null
    queued += piece?.queued ?? 0
    if ((piece?.queued ?? 0) > 0) await db.run(wakeLane, [caller.tenantId, id])
  }
  return { queued }
}
