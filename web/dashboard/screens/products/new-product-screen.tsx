import type { ProductsCreateParams } from '@fulfillment/sdk'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Field } from '../../kit/field.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import form from '../../kit/form.module.css'
import { Screen } from '../../kit/screen.tsx'
import { changedFields, ProductInput, useProductFields } from './product-input.tsx'

/** Creates a product. */
export function NewProductScreen() {
  const navigate = useNavigate()
  const { bind, ...typed } = useProductFields()
  const { name, barcode } = typed.fields
  const input = { ...changedFields(typed), name, barcode } as ProductsCreateParams
  const write = useWrite({
    write: (api, params: ProductsCreateParams, options) => api.products.create(params, options),
    done: (created) => t.products.created(created.name),
    onDone: ({ id }) => void navigate({ to: '/products/$id', params: { id: String(id) } }),
  })
  return (
    <Screen title={t.products.new} hasCurl={false}>
      <Form
        {...write}
        label={t.products.new}
        typed={input}
        codes={CODES}
        buttons={
          <FormButtons
            submit={t.products.create}
            scope="write:products"
            isSaving={write.isSaving}
            call={(api) => api.products.create(input)}
          />
        }
        onSubmit={() => void write.send(input)}
      >
        <div className={form.row}>
          <Field label={t.products.name} isRequired maxLength={255} {...bind('name')} />
          <Field label={t.products.barcode} isRequired maxLength={255} {...bind('barcode')} />
        </div>
        <ProductInput bind={bind} {...typed} />
      </Form>
    </Screen>
  )
}

const CODES = { already_exists: (message: string) => (/sku/i.test(message) ? 'sku' : 'barcode') }
