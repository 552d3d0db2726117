import type { ListedReservation } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useScope } from '../../data/session.tsx'
import { OrderLink, ProductLink } from '../../kit/record-link.tsx'
import { type Column, Stacked } from '../../kit/table.tsx'
import { Day, None, Time, Value } from '../../kit/time.tsx'

/** What is shown of a reservation. `warehouseOf` gives the name of a warehouse. */
export const reservationColumns = (warehouseOf: (id: number) => string): Column<ListedReservation>[] => [
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ product_id, product_name, sku }) => (
      <Stacked below={<Value text={sku} />}>
        <ProductLink id={product_id}>{product_name}</ProductLink>
      </Stacked>
    ),
  },
  { id: 'warehouse', header: t.locations.warehouse, isWide: true, cell: ({ warehouse_id }) => warehouseOf(warehouse_id) },
  { id: 'for', header: t.reservations.for, isWide: true, cell: (reservation) => <For reservation={reservation} /> },
  {
    id: 'reserved',
    header: t.reservations.reserved,
    isNumber: true,
    cell: ({ reserved_quantity }) => formatNumber(reserved_quantity),
  },
  {
    id: 'backordered',
    header: t.reservations.backordered,
    isNumber: true,
    cell: ({ backordered_quantity }) => formatNumber(backordered_quantity),
  },
  {
    id: 'date',
    header: t.orders.assemblyDate,
    cell: ({ assembly_date }) => (assembly_date === null ? <None /> : <Day date={assembly_date} />),
  },
  { id: 'expires', header: t.reservations.expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
]

/** The order or the hold that has it. */
function For({ reservation: { order_id, order_tenant_id, hold_reference } }: { reservation: ListedReservation }) {
  const canReadHolds = useScope('read:orders')
  if (order_id !== null) return <OrderLink id={order_id}>{order_tenant_id}</OrderLink>
  if (hold_reference === null) return <None />
  const text = t.reservations.hold(hold_reference)
  if (!canReadHolds) return text
  return (
    <Link to="/reservations" search={{ show: 'holds', reference: hold_reference }}>
      {text}
    </Link>
  )
}
