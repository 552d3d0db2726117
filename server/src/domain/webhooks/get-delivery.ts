import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { DELIVERY_COLUMNS, deliveryOf, type DeliveryRow, partsOfDeliveryId } from './delivery-row.ts'
import { delivery, type Delivery, deliveryPath } from './schemas.ts'
import { subscriptionIdOf } from './webhook-id.ts'

/** Identifies a delivery in statements. */
export type DeliveryKey = [tenantId: number, subscriptionId: number, eventId: string]

const selectDelivery = statement<DeliveryKey, DeliveryRow>({
  name: 'select_delivery',
  connection: 'read',
  sql: `select ${DELIVERY_COLUMNS.map((column) => `d.${column}`).join(', ')}
   from events e
   join webhook_deliveries d on d.tenant_id = $1 and d.subscription_id = $2 and d.event_created_at = e.created_at and d.event_id = e.id
   join webhook_subscriptions s on s.tenant_id = $1 and s.id = $2
   where e.tenant_id = $1 and e.id = $3`,
})

/** One delivery with its attempts. Throws `not_found`. */
export const getDelivery = endpoint({
  name: 'webhooks.getDelivery',
  scope: 'read:webhooks',
  method: 'GET',
  path: '/webhooks/deliveries/{id}',
  summary: 'Get a webhook delivery',
  description: 'One delivery that is at most 30 days old or still pending, with its attempts.',
  isAddition: true,
  input: deliveryPath,
  output: delivery,
  run: ({ db, caller }, input) => readDelivery(db, deliveryKey(caller.tenantId, input.id)),
})

/** The key of a delivery from its id. Throws `not_found` for any other text. */
export function deliveryKey(tenantId: number, id: string): DeliveryKey {
  const parts = partsOfDeliveryId(id)
  if (parts === undefined) throw deliveryNotFound()
  return [tenantId, subscriptionIdOf(parts.webhookId), parts.eventId]
}

/** Reads a delivery. Throws `not_found`. */
export async function readDelivery(db: Pick<Queryable, 'runOne'>, key: DeliveryKey): Promise<Delivery> {
  const row = await db.runOne(selectDelivery, [...key])
  if (row === undefined) throw deliveryNotFound()
  return deliveryOf(row)
}

const deliveryNotFound = (): ServiceError => new ServiceError('not_found', 'Delivery not found')
