import type { Order, OrderLine } from '@fulfillment/sdk'
import { formatNumber, formatPrice } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { LineProgress } from '../../kit/line-progress.tsx'
import { ProductLink } from '../../kit/record-link.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None } from '../../kit/time.tsx'

/** Flows that the order's screen lists. */
export const MAX_FLOWS = 100

/** The lines of an order, with what is picked of them and, while the tenant reserves, what of an open order is reserved or waits. */
export function OrderLines({ order }: { order: Order }) {
  const { order_detail, reservation_status: status } = order
  const fulfilled = useFulfilled(order)
  const rows = order_detail.map((line) => ({ ...line, is_fulfilled: fulfilled.has(line.id) }))
  const isReserving = status !== undefined && status !== null
  const columns = isReserving ? [...COLUMNS, ...RESERVATION_COLUMNS, PROGRESS] : [...COLUMNS, PROGRESS]
  return <Table caption={t.orders.linesTitle} columns={columns} rows={rows} rowKey={({ id }) => id} />
}

/** Ids of the lines that are fulfilled with less than was ordered. An order does not tell them, but its latest flow does. */
function useFulfilled({ id, order_detail }: Order): ReadonlySet<number> {
  const isPartly = order_detail.some(({ picked_quantity, quantity }) => picked_quantity > 0 && picked_quantity < quantity)
  const flows = useRead(['flows', id], (api, options) => api.flows.list({ order_id: id, limit: MAX_FLOWS }, options), {
    enabled: isPartly,
  })
  const latest = flows.data?.flows[0]?.id ?? 0
  const flow = useRead(['flow', latest], (api, options) => api.flows.get(latest, options), { enabled: isPartly && latest > 0 })
  const lines = isPartly ? (flow.data?.lines ?? []) : []
  return new Set(lines.flatMap((line) => (line.is_fulfilled === true ? [line.order_detail_id] : [])))
}

type Row = OrderLine & { is_fulfilled: boolean }

const COLUMNS: Column<Row>[] = [
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

const RESERVATION_COLUMNS: Column<Row>[] = [
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

const PROGRESS: Column<Row> = {
  id: 'bar',
  header: t.orders.progress,
  cell: (line) => <LineProgress {...line} />,
}
