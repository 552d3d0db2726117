import { endpoint } from '../../procedures/endpoint.ts'
import { readShipment } from './read-shipment.ts'
import { shipment, shipmentId } from './schemas.ts'

/** A shipment with its packages. Throws `not_found`. */
export const getShipment = endpoint({
  name: 'shipments.get',
  scope: 'read:orders',
  method: 'GET',
  path: '/shipments/{id}',
  summary: 'Get a shipment',
  description: 'A shipment with its packages, their contents and tracking.',
  isAddition: true,
  input: shipmentId,
  output: shipment,
  run: ({ db, caller }, { id }) => readShipment(db, caller.tenantId, id),
})
