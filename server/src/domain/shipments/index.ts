export { cancelShipmentsOfOrder } from './cancel-shipments-of-order.ts'
export { listShipmentsInput, packageLine, shipment, shippedPackage } from './schemas.ts'
export { shipmentStatuses, type ShipmentStatuses, shownShipmentStatus } from './shipment-status.ts'
export { shipmentStatus } from './shipment-topics.ts'
