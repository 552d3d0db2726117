import type { Count } from '@fulfillment/sdk'
import { useState } from 'react'
import { formatNumber } from '../../../shared/format.ts'
import { t } from '../../../shared/texts/texts.ts'
import { Field } from '../../kit/field.tsx'
import { LocationField } from '../../kit/location-field.tsx'
import { packHint, ProductCombo } from '../../kit/product-combo.tsx'
import { numberOf } from '../../kit/number-input.ts'
import { useTyped } from '../../kit/use-typed.ts'
import { WriteDialog } from '../../kit/write-dialog.tsx'

/** The dialog for what lies where the count has no line yet. */
export function AddEntry({ count, onClose }: { count: Count; onClose: () => void }) {
  const [product, setProduct] = useState<{ id: number; name: string; units: number }>()
  const [typed, bind] = useTyped({
    location_id: count.location_ids?.length === 1 ? String(count.location_ids[0]) : '',
    quantity: '',
  })
  return (
    <WriteDialog
      title={t.counts.addEntry}
      act={t.counts.addEntry}
      scope="write:stock"
      kind="primary"
      note={t.counts.addEntryText}
      input={{
        ...(product === undefined ? {} : { product_id: product.id }),
        location_id: typed.location_id,
        quantity: numberOf(typed.quantity),
      }}
      write={(api, entry, options) => api.counts.addEntry(count.id, entry, options)}
      done={({ line }) =>
        t.counts.savedOf(formatNumber(line.counted_quantity ?? 0), line.product_name, line.location_code ?? line.location_id)
      }
      onClose={onClose}
    >
      <ProductCombo
        label={t.receiving.product}
        name="product_id"
        isRequired
        hint={product && packHint(product.units)}
        value={product?.name ?? ''}
        autoFocus
        onProduct={({ id, name }, units) => setProduct({ id, name, units })}
        onClear={() => setProduct(undefined)}
      />
      <LocationField label={t.stock.location} {...bind('location_id')} />
      <Field label={t.stock.quantity} isRequired type="number" size="narrow" {...bind('quantity')} />
    </WriteDialog>
  )
}
