import { endpoint } from '../../procedures/endpoint.ts'
import { transitionTo } from './change-state.ts'
import { shipment, shipmentId } from './schemas.ts'

const toShipped = transitionTo('shipped')

/** Marks a shipment as shipped. Doing so again changes nothing. Throws `not_found` and `shipment_error`. */
export const shipShipment = endpoint({
  name: 'shipments.ship',
  scope: 'write:orders',
  method: 'POST',
  path: '/shipments/{id}/ship',
  summary: 'Ship a shipment',
  description:
    'Marks the shipment as shipped: packages can no longer be changed, but tracking can. At least one line must be packed, and the order must not be cancelled. Shipping it again succeeds and changes nothing.',
  errors: ['shipment_error'],
  isAddition: true,
  input: shipmentId,
  output: shipment,
  run: ({ caller, db }, { id }) => db.transaction((tx) => toShipped(tx, caller.tenantId, id)),
})
