import type { Order, OrderLine } from '@fulfillment/sdk'
import { formatNumber, formatPrice } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { ProgressBar } from '../../kit/progress-bar.tsx'
import { ProductLink } from '../../kit/record-link.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None } from '../../kit/time.tsx'

/** The lines of an order, with what is picked of them and, while the tenant reserves, what of an open order is reserved or waits. */
export function OrderLines({ order: { order_detail, reservation_status: status } }: { order: Order }) {
  const isReserving = status !== undefined && status !== null
  const columns = isReserving ? [...COLUMNS, ...RESERVATION_COLUMNS, PROGRESS] : [...COLUMNS, PROGRESS]
  return <Table caption={t.orders.linesTitle} columns={columns} rows={order_detail} rowKey={({ id }) => id} />
}

const COLUMNS: Column<OrderLine>[] = [
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ product_id, product_name }) => <ProductLink id={product_id}>{product_name}</ProductLink>,
  },
  { id: 'barcode', header: t.products.barcode, cell: ({ barcode }) => barcode },
  {
    id: 'price',
    header: t.products.price,
    isNumber: true,
    cell: ({ price }) => (price === null ? <None /> : formatPrice(price)),
  },
  { id: 'quantity', header: t.orders.ordered, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  { id: 'picked', header: t.orders.picked, isNumber: true, cell: ({ picked_quantity }) => formatNumber(picked_quantity) },
]

const RESERVATION_COLUMNS: Column<OrderLine>[] = [
  {
    id: 'reserved',
    header: t.reservations.reserved,
    isNumber: true,
    cell: ({ reserved_quantity = 0 }) => formatNumber(reserved_quantity),
  },
  {
    id: 'backordered',
    header: t.reservations.backordered,
    isNumber: true,
    cell: ({ backordered_quantity = 0 }) => formatNumber(backordered_quantity),
  },
]

const PROGRESS: Column<OrderLine> = {
  id: 'bar',
  header: t.orders.progress,
  cell: ({ product_name, picked_quantity, quantity }) => (
    <ProgressBar label={t.orders.pickedOf(product_name)} value={picked_quantity} max={quantity} />
  ),
}
