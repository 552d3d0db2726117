import type { LineToPick } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { LineProgress } from '../../kit/line-progress.tsx'
import { type Column, Table } from '../../kit/table.tsx'

/** The lines of the order, and where their products lie. */
export function FlowLines({ lines }: { lines: readonly LineToPick[] }) {
  return <Table caption={t.picking.lines} columns={COLUMNS} rows={lines} rowKey={({ order_detail_id }) => order_detail_id} />
}

const COLUMNS: Column<LineToPick>[] = [
  { id: 'product', header: t.orders.product, isWide: true, cell: ({ product_name }) => product_name },
  { id: 'barcode', header: t.products.barcode, cell: ({ barcode }) => barcode },
  { id: 'quantity', header: t.orders.ordered, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  { id: 'picked', header: t.orders.picked, isNumber: true, cell: ({ picked_quantity }) => formatNumber(picked_quantity) },
  { id: 'remaining', header: t.picking.remaining, isNumber: true, cell: ({ remaining }) => formatNumber(remaining) },
  {
    id: 'bar',
    header: t.orders.progress,
    cell: (line) => <LineProgress {...line} />,
  },
  { id: 'locations', header: t.picking.locations, isWide: true, cell: ({ locations }) => placesOf(locations) },
]

function placesOf(locations: LineToPick['locations']): string {
  if (locations.length === 0) return t.picking.nowhere
  return locations.map(({ location_code, quantity }) => t.picking.atLocation(location_code, formatNumber(quantity))).join(', ')
}
