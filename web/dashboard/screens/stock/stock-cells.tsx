import type { StockOverviewResult } from '@fulfillment/sdk'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Button } from '../../kit/button.tsx'
import { ProductLink } from '../../kit/record-link.tsx'
import styles from './stock.module.css'

export type StockedProduct = StockOverviewResult['products'][number]

/** The product of a row of the grid, and what can be done with it besides setting a level. */
export function ProductCell({ product }: { product: StockedProduct }) {
  return (
    <ProductLink id={product.product_id} tabIndex={-1}>
      {product.name}
    </ProductLink>
  )
}

export function StockActions({
  product,
  onAdd,
}: {
  product: StockedProduct
  onAdd: (product: StockedProduct, kind: 'adjust' | 'transfer') => void
}) {
  return (
    <span className={styles.actions}>
      {(['adjust', 'transfer'] as const).map((kind) => (
        <Button
          key={kind}
          kind="quiet"
          scope="write:stock"
          aria-label={t.stock.dialogs[kind].of(product.name)}
          onPress={() => onAdd(product, kind)}
        >
          {t.stock.dialogs[kind].act}
        </Button>
      ))}
    </span>
  )
}

export const thresholdOf = ({ minimum_threshold }: StockedProduct): string | undefined =>
  minimum_threshold === null ? undefined : formatNumber(minimum_threshold)
