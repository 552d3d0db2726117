import { formatNumber } from '../../shared/format.ts'
import { t } from '../../shared/texts/texts.ts'
import { ProgressBar } from '../kit/progress-bar.tsx'
import { ProductLink } from '../kit/record-link.tsx'
import type { Column } from '../kit/table.tsx'
import type { Receivable } from './kind.ts'

type Line = Pick<Receivable['lines'][number], 'id' | 'product_id' | 'product_name' | 'barcode' | 'quantity' | 'received_quantity'>

/** The columns of the lines of deliveries and returns; those of its own stand before the bar. */
export const lineColumns = <Own extends Line>(own: readonly Column<Own>[] = []): Column<Own>[] => [
  {
    id: 'product',
    header: t.orders.product,
    isWide: true,
    cell: ({ product_id, product_name }) => <ProductLink id={product_id}>{product_name}</ProductLink>,
  },
  { id: 'barcode', header: t.products.barcode, cell: ({ barcode }) => barcode },
  { id: 'quantity', header: t.receiving.announced, isNumber: true, cell: ({ quantity }) => formatNumber(quantity) },
  {
    id: 'received',
    header: t.receiving.received,
    isNumber: true,
    cell: ({ received_quantity }) => formatNumber(received_quantity),
  },
  ...own,
  {
    id: 'bar',
    header: t.orders.progress,
    cell: ({ product_name, received_quantity, quantity }) => (
      <ProgressBar
        label={t.receiving.progressOf(product_name)}
        value={received_quantity}
        max={Math.max(quantity, received_quantity)}
      />
    ),
  },
]

type Record = Pick<Receivable, 'id' | 'total_quantity' | 'total_received'>

/** The columns of lists that say how much has come. */
export const RECEIVED_COLUMNS: Column<Record>[] = [
  {
    id: 'received',
    header: t.receiving.received,
    isNumber: true,
    cell: ({ total_received, total_quantity }) => t.receiving.of(formatNumber(total_received), formatNumber(total_quantity)),
  },
  {
    id: 'bar',
    header: t.orders.progress,
    cell: ({ id, total_received, total_quantity }) => (
      <ProgressBar
        label={t.receiving.progressOf(String(id))}
        value={total_received}
        max={Math.max(total_quantity, total_received)}
      />
    ),
  },
]
