export { deliveryOf, type DeliveryRow } from './delivery-row.ts'
export { delivery, type Delivery } from './schemas.ts'
export { parseSubscriptionId } from './webhook-id.ts'
