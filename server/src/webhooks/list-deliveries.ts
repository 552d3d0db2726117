import type { RequestContext } from '../context.ts'
import { paginationOf } from '../fields.ts'
import { DELIVERY_COLUMNS, deliveryOf } from './delivery-row.ts'
import { getWebhook } from './read-webhooks.ts'
import type { Delivery, DeliveryQuery } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

/** A page of a subscription's deliveries, the newest event's first. Throws `not_found`. */
export async function listDeliveries(
  context: RequestContext,
  query: DeliveryQuery,
): Promise<{ deliveries: Delivery[]; pagination: ReturnType<typeof paginationOf> }> {
  await getWebhook(context, query)
  const { sql } = await import('kysely')
  let matching = context.db.kysely
    .selectFrom('webhook_deliveries')
    .where('tenant_id', '=', context.caller.tenantId)
    .where('subscription_id', '=', subscriptionIdOf(query.id))
  // As a literal, by which the planner sees where such deliveries are.
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
}
