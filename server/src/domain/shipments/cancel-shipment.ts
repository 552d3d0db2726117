import { endpoint } from '../../procedures/endpoint.ts'
import { transitionTo } from './change-state.ts'
import { cancelShipmentInput, shipment } from './schemas.ts'

const toCancelled = transitionTo('cancelled')

/** Cancels a shipment that is not delivered. Cancelling it again changes nothing. Throws `not_found` and `shipment_error`. */
export const cancelShipment = endpoint({
  name: 'shipments.cancel',
  scope: 'write:orders',
  method: 'POST',
  path: '/shipments/{id}/cancel',
  summary: 'Cancel a shipment',
  description:
    'Cancels a shipment that is open or shipped. Its goods can be packed again. Cancelling it again succeeds and changes nothing. Cancelling an order cancels its open shipments; shipped ones stay.',
  errors: ['shipment_error'],
  isAddition: true,
  input: cancelShipmentInput,
  output: shipment,
  run: ({ caller, db }, { id, reason }) => db.transaction((tx) => toCancelled(tx, caller.tenantId, id, reason ?? null)),
})
