import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { attemptCount } from './delivery/attempts.ts'
import { ATTEMPTS_OF_SCHEDULE } from './delivery/retry-schedule.ts'
import { DELIVERY_COLUMNS, deliveryOf, partsOfDeliveryId, type DeliveryRow } from './delivery-row.ts'
import type { Delivery } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

// One that is in flight is left alone: it is being sent as asked for.
const requestRetry = statement<[tenantId: number, subscriptionId: number, eventId: string], unknown>(
  'request_delivery_retry',
  `with lane as (
     select greatest(held_until, now()) as due_at from webhook_lanes where tenant_id = $1 and subscription_id = $2
   ), event as (
     select created_at from events where tenant_id = $1 and id = $3
   ), waiting as (
     update waiting_deliveries d set trigger = 'manual', next_attempt_at = lane.due_at
     from lane, event e
     where d.tenant_id = $1 and d.subscription_id = $2 and d.event_created_at = e.created_at and d.event_id = $3 and d.state = 'pending'
     returning d.event_id
   ), finished as (
     delete from finished_deliveries d using lane, event e
     where d.tenant_id = $1 and d.subscription_id = $2 and d.event_created_at = e.created_at and d.event_id = $3
     returning d.*, lane.due_at
   ), queued as (
     insert into waiting_deliveries
       (tenant_id, subscription_id, event_id, event_created_at, topic, trigger, tries, next_attempt_at, created_at, attempts)
     select tenant_id, subscription_id, event_id, event_created_at, topic, 'manual', least(${attemptCount('attempts')}, ${ATTEMPTS_OF_SCHEDULE}), due_at, created_at, attempts
     from finished
     on conflict do nothing
     returning event_id
   )
   update webhook_lanes l set due_at = least(l.due_at, lane.due_at)
   from lane
   where l.tenant_id = $1 and l.subscription_id = $2 and (exists (select from waiting) or exists (select from queued))`,
)

const selectDelivery = statement<[tenantId: number, subscriptionId: number, eventId: string], DeliveryRow>(
  'select_delivery',
  `select ${DELIVERY_COLUMNS.map((column) => `d.${column}`).join(', ')}
   from events e
   join webhook_deliveries d on d.tenant_id = $1 and d.subscription_id = $2 and d.event_created_at = e.created_at and d.event_id = e.id
   join webhook_subscriptions s on s.tenant_id = $1 and s.id = $2
   where e.tenant_id = $1 and e.id = $3`,
)

/**
 * Has a delivery sent once more at once, whatever became of it and even when its subscription is inactive; a pause that the receiver
 * asked for is kept to. Throws `not_found`.
 */
export async function retryDelivery({ db, caller }: RequestContext, input: { id: string }): Promise<Delivery> {
  const parts = partsOfDeliveryId(input.id)
  if (parts === undefined) throw deliveryNotFound()
  const key = [caller.tenantId, subscriptionIdOf(parts.webhookId), parts.eventId] as const
  await db.run(requestRetry, [...key])
  const row = await db.runOne(selectDelivery, [...key])
  if (row === undefined) throw deliveryNotFound()
  return deliveryOf(row)
}

const deliveryNotFound = (): ServiceError => new ServiceError('not_found', 'Delivery not found')
