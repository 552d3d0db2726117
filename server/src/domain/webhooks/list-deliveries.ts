import { sql } from 'kysely'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { DELIVERY_COLUMNS, deliveryOf } from './delivery-row.ts'
import { getWebhook } from './get-webhook.ts'
import { listDeliveriesOutput, listDeliveriesInput } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

/** A page of a subscription's deliveries, the newest event's first. Throws `not_found`. */
export const listDeliveries = endpoint({
  name: 'webhooks.deliveries',
  scope: 'read:webhooks',
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  summary: 'List webhook deliveries',
  description: 'Deliveries of the last 30 days and all pending deliveries, newest event first, with their attempts.',
  isAddition: true,
  readsReplica: true,
  input: listDeliveriesInput,
  output: listDeliveriesOutput,
  run: async (context, query) => {
    await getWebhook.run(context, query)
    let matching = context.db.kysely
      .selectFrom('webhook_deliveries')
      .where('tenant_id', '=', context.caller.tenantId)
      .where('subscription_id', '=', subscriptionIdOf(query.id))
    // A literal, so that the planner knows which deliveries match.
    if (query.state !== undefined) matching = matching.where('state', '=', sql.lit(query.state))
    if (query.event !== undefined) matching = matching.where('topic', '=', query.event)
    const [rows, { total }] = await Promise.all([
      matching
        .select(DELIVERY_COLUMNS)
        .orderBy('event_created_at', 'desc')
        .orderBy('event_id', 'desc')
        .limit(query.limit)
        .offset((query.page - 1) * query.limit)
        .execute(),
      matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
    ])
    return { deliveries: rows.map(deliveryOf), pagination: paginationOf(query, total) }
  },
})
