import type { Shipment } from '@fulfillment/sdk'
import { packing } from '../../shared/texts/scan-packing-texts.ts'

/** What the screens call a shipment. */
export const shipmentName = ({ reference, id }: Pick<Shipment, 'reference' | 'id'>): string => reference ?? packing.unnamed(id)
