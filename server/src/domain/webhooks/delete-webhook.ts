import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { deleteWebhookOutput, webhookPath } from './schemas.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

// Lock order: the lane first, as in the statement that records results. There may be millions of pending deliveries: they are deleted later,
// in batches.
const deleteSubscription = statement<[tenantId: number, id: number], { id: number }>({
  name: 'delete_subscription',
  connection: 'write',
  sql: `with lane as materialized (
     select tenant_id, subscription_id from webhook_lanes where tenant_id = $1 and subscription_id = $2 for update
   ), subscription as (
     delete from webhook_subscriptions s using lane where s.tenant_id = lane.tenant_id and s.id = lane.subscription_id
     returning s.tenant_id, s.id
   ), waiting as (
     insert into deleted_subscriptions (tenant_id, subscription_id) select tenant_id, id from subscription
   )
   select id from subscription`,
})

/** Deletes a subscription; pending deliveries are discarded. Throws `not_found`. */
export const deleteWebhook = endpoint({
  name: 'webhooks.delete',
  scope: 'write:webhooks',
  method: 'DELETE',
  path: '/webhooks/{id}',
  summary: 'Delete a subscription',
  description: 'Pending deliveries are discarded.',
  isAddition: true,
  input: webhookPath,
  output: deleteWebhookOutput,
  run: async ({ db, caller }, input) => {
    const deleted = await db.runOne(deleteSubscription, [caller.tenantId, subscriptionIdOf(input.id)])
    if (deleted === undefined) throw webhookNotFound()
    return { message: 'Webhook deleted', webhook_id: input.id }
  },
})
