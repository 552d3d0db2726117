import type { StockOverviewResult } from '@fulfillment/sdk'
import { formatDay, formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { Empty, Region } from '../../kit/region.tsx'
import { type Column, Table } from '../../kit/table.tsx'

interface Props {
  /** What the filters match. */
  found: StockOverviewResult
  /** A day, UTC. */
  day: string
}

/** The stock of one product at the end of a day. The API knows the past of one product at a time, by its SKU. */
export function StockAsOf({ found: { products, pagination }, day }: Props) {
  const [product] = products
  if (pagination.total !== 1 || product === undefined) return <Empty text={t.stock.asOfOne} />
  if (product.external_id === null) return <Empty text={t.stock.asOfNoSku} />
  return <PastLevels sku={product.external_id} day={day} />
}

function PastLevels({ sku, day }: { sku: string; day: string }) {
  const query = useRead(['stock', 'as of', sku, day], (api, options) => api.stock.getBySku(sku, { as_of: day }, options), {
    isMain: true,
    keep: false,
  })
  return (
    <Region query={query}>
      {({ product_name, total_quantity, locations }) => {
        const held = locations.filter(({ quantity }) => quantity !== 0)
        return (
          <>
            <h2>{t.stock.asOfTitle(product_name, formatDay(day))}</h2>
            {held.length === 0 ? (
              <p>{t.stock.asOfNone}</p>
            ) : (
              <Table caption={t.stock.byLocation} columns={COLUMNS} rows={held} rowKey={({ location_id }) => location_id} />
            )}
            <p>{t.stock.totalOf(formatNumber(total_quantity), held.length)}</p>
          </>
        )
      }}
    </Region>
  )
}

const COLUMNS: Column<{ location_id: string; quantity: number }>[] = [
  { id: 'location', header: t.stock.location, isWide: true, cell: ({ location_id }) => location_id },
  { id: 'quantity', header: t.stock.quantity, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
]
