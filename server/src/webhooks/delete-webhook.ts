import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

// The lane first, as in the statement that records results: whoever locks both does so in this order. What waits may be millions: it is
// deleted later, some at a time.
const deleteSubscription = statement<[tenantId: number, id: number], { id: number }>(
  'delete_subscription',
  `with lane as materialized (
     select tenant_id, subscription_id from webhook_lanes where tenant_id = $1 and subscription_id = $2 for update
   ), subscription as (
     delete from webhook_subscriptions s using lane where s.tenant_id = lane.tenant_id and s.id = lane.subscription_id
     returning s.tenant_id, s.id
   ), waiting as (
     insert into deleted_subscriptions (tenant_id, subscription_id) select tenant_id, id from subscription
   )
   select id from subscription`,
)

/** Ends a subscription for good; pending deliveries are discarded. Throws `not_found`. */
export async function deleteWebhook(
  { db, caller }: RequestContext,
  input: { id: string },
): Promise<{ message: string; webhook_id: string }> {
  const deleted = await db.runOne(deleteSubscription, [caller.tenantId, subscriptionIdOf(input.id)])
  if (deleted === undefined) throw webhookNotFound()
  return { message: 'Webhook deleted', webhook_id: input.id }
}
