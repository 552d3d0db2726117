import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

const deleteSubscription = statement<[tenantId: number, id: number], { id: number }>(
  'delete_subscription',
  `with waiting as (
     delete from waiting_deliveries where tenant_id = $1 and subscription_id = $2
   )
   delete from webhook_subscriptions where tenant_id = $1 and id = $2 returning id`,
)

/** Ends a subscription for good; what waits for it is not sent any more. Throws `not_found`. */
export async function deleteWebhook(
  { db, caller }: RequestContext,
  input: { id: string },
): Promise<{ message: string; webhook_id: string }> {
  const deleted = await db.runOne(deleteSubscription, [caller.tenantId, subscriptionIdOf(input.id)])
  if (deleted === undefined) throw webhookNotFound()
  return { message: 'Webhook deleted', webhook_id: input.id }
}
