import type { StockOverviewResult } from '@fulfillment/sdk'
import { Link } from '@tanstack/react-router'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { useRead } from '../../data/use-read.ts'
import { ProductLink } from '../../kit/record-link.tsx'
import { Region } from '../../kit/region.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { None } from '../../kit/time.tsx'
import { Panel } from './panel.tsx'

const WORST = 10

/** The products that lack most to their thresholds. */
export function LowStock() {
  const query = useRead(['stock', 'low'], (api, options) =>
    api.stock.overview({ low: true, sort: 'shortage', limit: WORST }, options),
  )
  return (
    <Panel title={t.home.lowStock}>
      <Region query={query} rows={3}>
        {({ products, pagination }) =>
          products.length === 0 ? (
            <p>{t.home.nothingLow}</p>
          ) : (
            <>
              <Table caption={t.home.lowProducts} columns={COLUMNS} rows={products} rowKey={({ product_id }) => product_id} />
              <p>
                <Link to="/stock" search={{ low: 'true' }}>
                  {t.home.allLow(pagination.total)}
                </Link>
              </p>
            </>
          )
        }
      </Region>
    </Panel>
  )
}

const COLUMNS: Column<StockOverviewResult['products'][number]>[] = [
  {
    id: 'product',
    header: t.home.product,
    isWide: true,
    cell: ({ product_id, name }) => <ProductLink id={product_id}>{name}</ProductLink>,
  },
  { id: 'quantity', header: t.home.quantity, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  {
    id: 'threshold',
    header: t.home.threshold,
    isNumber: true,
    cell: ({ minimum_threshold: minimum }) => (minimum === null ? <None /> : formatNumber(minimum)),
  },
]
