import { slice } from '../../procedures/slice.ts'
import { cancelShipment } from './cancel-shipment.ts'
import { createShipment } from './create-shipment.ts'
import { deliverShipment } from './deliver-shipment.ts'
import { getShipment } from './get-shipment.ts'
import { listShipments } from './list-shipments.ts'
import { shipShipment } from './ship-shipment.ts'
import { shipmentUpdated } from './shipment-topics.ts'
import { updateShipment } from './update-shipment.ts'

/** Shipments of orders. */
export const shipments = slice({
  tags: [{ name: 'shipments', description: 'Packages of orders and their tracking.' }],
  endpoints: [createShipment, listShipments, getShipment, updateShipment, shipShipment, deliverShipment, cancelShipment],
  topics: [shipmentUpdated],
})
