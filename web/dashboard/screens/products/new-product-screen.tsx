import type { ProductsCreateParams } from '@fulfillment/sdk'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Checkbox } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import { Form } from '../../kit/form.tsx'
import form from '../../kit/form.module.css'
import { Screen } from '../../kit/screen.tsx'
import { changedFields, ProductInput, useProductFields } from './product-input.tsx'

/** Creates a product. */
export function NewProductScreen() {
  const navigate = useNavigate()
  const { fields, bind } = useProductFields()
  const [weighable, setWeighable] = useState(false)
  const input = { ...changedFields(fields), name: fields.name, barcode: fields.barcode, weighable } as ProductsCreateParams
  const write = useWrite({
    write: (api, params: ProductsCreateParams, options) => api.products.create(params, options),
    done: ({ name }) => t.products.created(name),
    onDone: ({ id }) => void navigate({ to: '/products/$id', params: { id: String(id) } }),
  })
  return (
    <Screen title={t.products.new} hasCurl={false}>
      <Form {...write} label={t.products.new} codes={CODES} onSubmit={() => void write.send(input)}>
        <div className={form.row}>
          <Field label={t.products.name} isRequired maxLength={255} {...bind('name')} />
          <Field label={t.products.barcode} isRequired maxLength={255} {...bind('barcode')} />
        </div>
        <ProductInput bind={bind} />
        <Checkbox label={t.products.weighable} isSelected={weighable} onChange={setWeighable} />
        <FormButtons
          submit={t.products.create}
          scope="write:products"
          isSaving={write.isSaving}
          call={(api) => api.products.create(input)}
        />
      </Form>
    </Screen>
  )
}

const CODES = { already_exists: (message: string) => (/sku/i.test(message) ? 'sku' : 'barcode') }
