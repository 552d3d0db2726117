import { t } from '../../shared/texts/texts.ts'
import { useScope } from '../data/session.tsx'
import { useRead } from '../data/use-read.ts'
import { ProductCombo } from './product-combo.tsx'

interface ProductFilterProps {
  id: number | undefined
  onId: (id: number | undefined) => void
}

/** A filter by product, which people know by its name, SKU or barcode. A key that cannot read products has none. */
export function ProductFilter({ id, onId }: ProductFilterProps) {
  const canRead = useScope('read:products')
  const { data } = useRead(['product', String(id)], (api, options) => api.products.get(id ?? 0, options), {
    enabled: canRead && id !== undefined,
    keep: false,
  })
  if (!canRead) return null
  return (
    <ProductCombo
      label={t.orders.product}
      value={id === undefined ? '' : (data?.name ?? String(id))}
      onProduct={(product) => onId(product.id)}
      onClear={() => onId(undefined)}
    />
  )
}
