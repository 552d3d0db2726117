import { endpoint } from '../../procedures/endpoint.ts'
import { transitionTo } from './change-state.ts'
import { shipment, shipmentId } from './schemas.ts'

const toDelivered = transitionTo('delivered')

/** Marks a shipment as delivered. Doing so again changes nothing. Throws `not_found` and `shipment_error`. */
export const deliverShipment = endpoint({
  name: 'shipments.deliver',
  scope: 'write:orders',
  method: 'POST',
  path: '/shipments/{id}/deliver',
  summary: 'Deliver a shipment',
  description: 'Marks a shipped shipment as delivered. Delivering it again succeeds and changes nothing.',
  errors: ['shipment_error'],
  isAddition: true,
  input: shipmentId,
  output: shipment,
  run: ({ caller, db }, { id }) => db.transaction((tx) => toDelivered(tx, caller.tenantId, id)),
})
