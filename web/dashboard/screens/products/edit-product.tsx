import type { ProductsUpdateParams, ProductWithStock } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Field } from '../../kit/field.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import { changedFields, ProductInput, useProductFields } from './product-input.tsx'

/** Edits a product. Only what was typed is sent: what others change meanwhile stays. */
export function EditProduct({ product, onClose }: { product: ProductWithStock; onClose: () => void }) {
  const [opened] = useState(product)
  const { bind, ...typed } = useProductFields(opened)
  const input = changedFields(typed, opened)
  const write = useWrite({
    write: (api, params: ProductsUpdateParams, options) => api.products.update(product.id, params, options),
    done: ({ name }) => t.products.saved(name),
    onDone: onClose,
  })
  return (
    <Form
      {...write}
      label={t.orders.edit}
      typed={input}
      codes={CODES}
      buttons={
        <FormButtons
          submit={t.dialog.save}
          scope="write:products"
          isSaving={write.isSaving}
          onDiscard={onClose}
          call={(api) => api.products.update(product.id, input)}
        />
      }
      onSubmit={() => void write.send(input)}
    >
      <Field label={t.products.name} isRequired autoFocus maxLength={255} {...bind('name')} />
      <ProductInput bind={bind} {...typed} />
    </Form>
  )
}

const CODES = { already_exists: () => 'sku' }
