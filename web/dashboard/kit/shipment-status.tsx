import type { Order } from '@fulfillment/sdk'
import { t } from '../../shared/texts/texts.ts'
import { Badge } from './badge.tsx'

type Status = NonNullable<Order['shipment_status']>

const KINDS = { packing: 'state1', partial: 'state3', shipped: 'state5', delivered: 'ok' } as const

/** How far the shipments of an order are. */
export function ShipmentStatus({ status }: { status: Status }) {
  return <Badge kind={KINDS[status]}>{t.shipments.statuses[status]}</Badge>
}
