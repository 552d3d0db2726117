import type { Shipment } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import type { Column } from '../../kit/table.tsx'
import { Time, Value } from '../../kit/time.tsx'
import { ShipmentState } from './shipment-state.tsx'

/** The columns of a list of shipments, without those of their orders. */
export const SHIPMENT_COLUMNS = {
  head: [
    {
      id: 'id',
      header: t.orders.id,
      isNumber: true,
      cell: ({ id }) => (
        <Link to="/shipments/$id" params={{ id: String(id) }}>
          {id}
        </Link>
      ),
    },
    { id: 'reference', header: t.shipments.reference, cell: ({ reference }) => <Value text={reference} /> },
    { id: 'state', header: t.orders.state, cell: ({ state }) => <ShipmentState state={state} /> },
  ],
  content: [
    { id: 'packages', header: t.shipments.packages, isNumber: true, cell: ({ packages }) => formatNumber(packages.length) },
    { id: 'quantity', header: t.stock.quantity, isNumber: true, cell: ({ total_quantity }) => formatNumber(total_quantity) },
    {
      id: 'tracking',
      header: t.shipments.trackingNumber,
      isWide: true,
      cell: ({ packages }) => <Value text={packages.flatMap(({ tracking_number }) => tracking_number ?? []).join(', ')} />,
    },
    { id: 'shipped', header: t.shipments.shippedAt, cell: ({ shipped_at }) => <Time at={shipped_at} /> },
  ],
} satisfies Record<string, Column<Shipment>[]>
