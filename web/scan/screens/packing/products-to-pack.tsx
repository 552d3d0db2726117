import { Check } from 'lucide-react'
import { packing } from '../../../shared/texts/scan-packing-texts.ts'
import { Button } from '../../kit/button.tsx'
import type { ProductToPack } from '../../packing/order-to-pack.ts'
import styles from '../screens.module.css'

/** More would slow down each scan on an old handheld. */
const MOST = 50

interface ProductsToPackProps {
  products: readonly ProductToPack[]
  onPack: (product: ProductToPack) => void
}

/** What was taken, and what of it is not packed: that first. A tap counts as a scan of the product. */
export function ProductsToPack({ products, onPack }: ProductsToPackProps) {
  const sorted = products.toSorted((one, other) => Number(one.left === 0) - Number(other.left === 0))
  const shown = sorted.slice(0, MOST)
  return (
    <section>
      <h2>{packing.toPack}</h2>
      <ul aria-label={packing.toPack} className={styles.list}>
        {shown.map((product) => (
          <li key={product.product_id} className={styles.order}>
            <Button kind="quiet" onClick={() => onPack(product)}>
              {product.name}
            </Button>
            <span className={styles.status}>
              {product.left === 0 && <Check aria-hidden size={20} />}
              {packing.left(product.left, product.taken)}
            </span>
            {product.barcode !== '' && <span className={styles.quiet}>{product.barcode}</span>}
          </li>
        ))}
      </ul>
      {sorted.length > shown.length && <p>{packing.moreProducts(sorted.length - shown.length)}</p>}
    </section>
  )
}
