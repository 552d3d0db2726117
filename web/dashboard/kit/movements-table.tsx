import type { StockMovement } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { formatChange, formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { type Column, Table } from './table.tsx'
import { None, Time, Value } from './time.tsx'

/** Movements of one record, as the server gave them; without the column that says of which. */
export function MovementsTable({ movements, of }: { movements: readonly StockMovement[]; of: 'product' | 'order' }) {
  const columns = MOVEMENT_COLUMNS.filter(({ id }) => id !== of)
  return <Table caption={t.nav.movements} columns={columns} rows={movements} rowKey={({ id }) => id} />
}

export const MOVEMENT_COLUMNS: Column<StockMovement>[] = [
  { id: 'at', header: t.movements.at, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ product_id, product_name }) => (
      <Link to="/products/$id" params={{ id: String(product_id) }}>
        {product_name}
      </Link>
    ),
  },
  { id: 'location', header: t.stock.location, cell: ({ location_id }) => location_id },
  { id: 'type', header: t.movements.type, cell: ({ movement_type }) => t.movements.types[movement_type] },
  {
    id: 'change',
    header: t.stock.change,
    isNumber: true,
    cell: ({ previous_quantity, new_quantity }) => formatChange(rounded(new_quantity - previous_quantity)),
  },
  { id: 'before', header: t.movements.before, isNumber: true, cell: ({ previous_quantity }) => formatNumber(previous_quantity) },
  { id: 'after', header: t.movements.after, isNumber: true, cell: ({ new_quantity }) => formatNumber(new_quantity) },
  { id: 'reason', header: t.orders.reason, isWide: true, cell: ({ reason }) => <Value text={reason} /> },
  {
    id: 'order',
    header: t.movements.order,
    isNumber: true,
    cell: ({ order_id }) =>
      order_id === undefined ? (
        <None />
      ) : (
        <Link to="/orders/$id" params={{ id: String(order_id) }}>
          {order_id}
        </Link>
      ),
  },
  { id: 'user', header: t.movements.user, isNumber: true, cell: ({ user_id }) => <Value text={user_id} /> },
]

/** Quantities have at most three decimals; their difference in binary may have more. */
function rounded(change: number): number {
  return Math.round(change * 1_000) / 1_000
}
