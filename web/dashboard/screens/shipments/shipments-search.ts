import { idOf, pageOf, textOf } from '../../search-parameters.ts'

export const SHIPMENT_STATES = ['open', 'shipped', 'delivered', 'cancelled'] as const
export type ShipmentState = (typeof SHIPMENT_STATES)[number]

/** The filters of the list of shipments, as they are in the address. */
export interface ShipmentsSearch {
  state?: ShipmentState | undefined
  order_id?: number | undefined
  reference?: string | undefined
  tracking_number?: string | undefined
  page?: number | undefined
}

export function parseShipmentsSearch(search: Record<string, unknown>): ShipmentsSearch {
  return {
    state: SHIPMENT_STATES.find((state) => state === search.state),
    order_id: idOf(search.order_id),
    reference: textOf(search.reference),
    tracking_number: textOf(search.tracking_number),
    page: pageOf(search.page),
  }
}
