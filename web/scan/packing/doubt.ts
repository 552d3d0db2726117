import type { NewPackage, Shipment } from '@fulfillment/sdk'

/** A step of which it is not known whether the server has done it: the shipment before, and the packages that were sent. */
export interface Doubt {
  shipment: Shipment
  packages: NewPackage[]
}
