import type { StockMovement } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { exact } from '../../shared/exact.ts'
import { formatChange, formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { OrderLink, ProductLink } from './record-link.tsx'
import { type Column, Table } from './table.tsx'
import { None, Time, Value } from './time.tsx'

interface Props {
  movements: readonly StockMovement[]
  pagination: { total: number }
  /** The record; its column is left out. */
  of: { product_id: number } | { order_id: number }
}

/** The last movements of one record, as the server gave them, their number, and the way to the others. */
export function MovementsOf({ movements, pagination: { total }, of }: Props) {
  const left = 'product_id' in of ? 'product' : 'order'
  const columns = MOVEMENT_COLUMNS.filter(({ id }) => id !== left)
  return (
    <>
      <Table caption={t.nav.movements} columns={columns} rows={movements} rowKey={({ id }) => id} />
      <p>
        {t.movements.lastOf(movements.length, total)}{' '}
        {movements.length < total && (
          <Link to="/movements" search={of}>
            {t.movements.showAll}
          </Link>
        )}
      </p>
    </>
  )
}

export const MOVEMENT_COLUMNS: Column<StockMovement>[] = [
  { id: 'at', header: t.movements.at, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ product_id, product_name }) => <ProductLink id={product_id}>{product_name}</ProductLink>,
  },
  { id: 'location', header: t.stock.location, cell: ({ location_id }) => location_id },
  { id: 'type', header: t.movements.type, cell: ({ movement_type }) => t.movements.types[movement_type] },
  {
    id: 'change',
    header: t.stock.change,
    isNumber: true,
    cell: ({ previous_quantity, new_quantity }) => formatChange(exact(new_quantity - previous_quantity)),
  },
  { id: 'before', header: t.movements.before, isNumber: true, cell: ({ previous_quantity }) => formatNumber(previous_quantity) },
  { id: 'after', header: t.movements.after, isNumber: true, cell: ({ new_quantity }) => formatNumber(new_quantity) },
  { id: 'reason', header: t.orders.reason, isWide: true, cell: ({ reason }) => <Value text={reason} /> },
  {
    id: 'order',
    header: t.movements.order,
    isNumber: true,
    cell: ({ order_id }) => (order_id === undefined ? <None /> : <OrderLink id={order_id}>{order_id}</OrderLink>),
  },
  { id: 'user', header: t.movements.user, isNumber: true, cell: ({ user_id }) => <Value text={user_id} /> },
]
