import { statement } from '../../database/statements/statement.ts'
import { attemptCount, ATTEMPTS_OF_SCHEDULE, isTestEvent } from '../../delivery/index.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { type DeliveryKey, deliveryKey, readDelivery } from './get-delivery.ts'
import { delivery, deliveryPath } from './schemas.ts'

// A delivery in flight is left as it is: it is already being sent. The schedule does not continue after the attempt of a test event.
const requestRetry = statement<DeliveryKey, unknown>({
  name: 'request_delivery_retry',
  connection: 'write',
  sql: `with lane as (
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
     select tenant_id, subscription_id, event_id, event_created_at, topic, 'manual',
       case when ${isTestEvent('event_id')} then ${ATTEMPTS_OF_SCHEDULE} else least(${attemptCount('attempts')}, ${ATTEMPTS_OF_SCHEDULE}) end,
       due_at, created_at, attempts
     from finished
     on conflict do nothing
     returning event_id
   )
   update webhook_lanes l set due_at = least(l.due_at, lane.due_at)
   from lane
   where l.tenant_id = $1 and l.subscription_id = $2 and (exists (select from waiting) or exists (select from queued))`,
})

/**
 * Queues one more attempt now, in any state of the delivery, and even if its subscription is inactive. A `Retry-After` of the receiver is
 * respected. Throws `not_found`.
 */
export const retryDelivery = endpoint({
  name: 'webhooks.retryDelivery',
  scope: 'write:webhooks',
  method: 'POST',
  path: '/webhooks/deliveries/{id}/retry',
  summary: 'Retry a webhook delivery',
  description:
    'Queues one more attempt now, whatever the state of the delivery, even if the subscription is inactive. A `Retry-After` sent by the receiver is respected.',
  isAddition: true,
  input: deliveryPath,
  output: delivery,
  run: async ({ db, caller }, input) => {
    const key = deliveryKey(caller.tenantId, input.id)
    await db.run(requestRetry, [...key])
    return await readDelivery(db, key)
  },
})
