import type { CountsCreateParams } from '@fulfillment/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type Dispatch, type SetStateAction, useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { useWrite } from '../../data/use-write.ts'
import { Checkbox } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import { FormButtons } from '../../kit/form-buttons.tsx'
import form from '../../kit/form.module.css'
import { Form } from '../../kit/form.tsx'
import { Screen } from '../../kit/screen.tsx'
import { useTyped } from '../../kit/use-typed.ts'
import { WarehouseSelect } from '../../kit/warehouse-select.tsx'
import { nameOf } from '../../receiving/kind.ts'
import { type Chosen, LocationsInput, ProductsInput } from './scope-input.tsx'

/** Begins a count of locations, of products, or both. */
export function NewCountScreen() {
  const navigate = useNavigate()
  const [{ reference, note }, bind] = useTyped({ reference: '', note: '' })
  const [warehouse, setWarehouse] = useState<number>()
  const [locations, setLocations] = useState<readonly Chosen[]>([])
  const [products, setProducts] = useState<readonly Chosen[]>([])
  const [isBlind, setBlind] = useState(false)
  const input: CountsCreateParams = {
    ...(reference === '' ? {} : { reference }),
    ...(warehouse === undefined ? {} : { warehouse_id: warehouse }),
    ...(locations.length === 0 ? {} : { location_ids: locations.map(({ id }) => id) }),
    ...(products.length === 0 ? {} : { product_ids: products.map(({ id }) => Number(id)) }),
    ...(isBlind ? { blind: true } : {}),
    ...(note === '' ? {} : { note }),
  }
  const write = useWrite({
    write: (api, params: CountsCreateParams, options) => api.counts.create(params, options),
    done: (begun) => t.counts.began(nameOf(begun)),
    onDone: ({ id }) => void navigate({ to: '/counts/$id', params: { id: String(id) } }),
  })
  // The server's messages are by position, which is another one then.
  const changing =
    (set: Dispatch<SetStateAction<readonly Chosen[]>>) =>
    (change: (chosen: readonly Chosen[]) => readonly Chosen[]): void => {
      write.forget()
      set(change)
    }
  return (
    <Screen title={t.counts.new} hasCurl={false}>
      <Form
        {...write}
        label={t.counts.new}
        typed={input}
        buttons={
          <FormButtons
            submit={t.counts.begin}
            scope="write:stock"
            isSaving={write.isSaving}
            call={(api) => api.counts.create(input)}
          />
        }
        onSubmit={() => void write.send(input)}
      >
        <div className={form.row}>
          <Field label={t.receiving.reference} maxLength={255} {...bind('reference')} />
          <WarehouseSelect none={t.receiving.defaultWarehouse} name="warehouse_id" value={warehouse} onWarehouse={setWarehouse} />
        </div>
        <p>{t.counts.scopeText}</p>
        <LocationsInput chosen={locations} warehouse={warehouse} onChange={changing(setLocations)} />
        <ProductsInput chosen={products} onChange={changing(setProducts)} />
        <Checkbox label={t.counts.blindLabel} isSelected={isBlind} onChange={setBlind} />
        <Field label={t.receiving.note} isMultiline maxLength={1000} size="wide" {...bind('note')} />
      </Form>
    </Screen>
  )
}
