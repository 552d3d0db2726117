import type { ProductsUpdateParams, ProductWithStock } from '@fulfillment/sdk'
import { useState } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { Checkbox } from '../../kit/choices.tsx'
import { Field } from '../../kit/field.tsx'
import form from '../../kit/form.module.css'
import { numberOrNull } from '../../kit/number-input.ts'
import { useTyped } from '../../kit/use-typed.ts'

const TEXTS = ['name', 'sku', 'category', 'description', 'photo_url'] as const
const NUMBERS = [
  'price',
  'cost',
  'weight',
  'width',
  'height',
  'depth',
  'minimum_threshold',
  'reorder_quantity',
  'sales_unit',
  'pick_tolerance_percent',
] as const

type TextName = (typeof TEXTS)[number]
type NumberName = (typeof NUMBERS)[number]
export type ProductFields = Record<TextName | NumberName | 'barcode', string>

/** What is typed into the fields of a product. */
export function useProductFields(product?: ProductWithStock) {
  const [fields, bind] = useTyped(() => fieldsOf(product))
  const [weighable, setWeighable] = useState(product?.weighable ?? false)
  return { fields, bind, weighable, setWeighable }
}

type Typed = ReturnType<typeof useProductFields>

function fieldsOf(product: ProductWithStock | undefined): ProductFields {
  const names = [...TEXTS, ...NUMBERS, 'barcode'] as const
  const value = (name: (typeof names)[number]): string => String((name === 'sku' ? product?.external_id : product?.[name]) ?? '')
  return Object.fromEntries(names.map((name) => [name, value(name)])) as ProductFields
}

/** The fields that differ from those of the product; an emptied one is null. */
export function changedFields(typed: Pick<Typed, 'fields' | 'weighable'>, product?: ProductWithStock): ProductsUpdateParams {
  const { fields, weighable } = typed
  const before = fieldsOf(product)
  // Only a weighable product has a tolerance, and only then its field is shown.
  const typedFields = weighable ? fields : { ...fields, pick_tolerance_percent: '' }
  const changed = [...TEXTS, ...NUMBERS].filter((name) => typedFields[name] !== before[name])
  const isOther = weighable !== (product?.weighable ?? false)
  return {
    ...Object.fromEntries(changed.map((name) => [name, valueOf(name, typedFields[name])])),
    ...(isOther ? { weighable } : {}),
  }
}

function valueOf(name: TextName | NumberName, text: string): string | number | null {
  if ((NUMBERS as readonly string[]).includes(name)) return numberOrNull(text)
  return text === '' && name !== 'name' ? null : text
}

/** Units as the API defines them. Prices are in the tenant's own currency, which it does not know. */
const UNITS: Partial<Record<NumberName, string>> = {
  weight: t.units.kg,
  width: t.units.cm,
  height: t.units.cm,
  depth: t.units.cm,
  sales_unit: t.units.baseUnits,
  pick_tolerance_percent: t.units.percent,
}

/** The fields of a product that can be changed. */
export function ProductInput({ bind, weighable, setWeighable }: Pick<Typed, 'bind' | 'weighable' | 'setWeighable'>) {
  const number = (name: NumberName) => (
    <Field key={name} label={t.products.fields[name]} mark={UNITS[name]} type="number" size="narrow" {...bind(name)} />
  )
  return (
    <>
      <div className={form.row}>
        <Field label={t.products.sku} maxLength={255} {...bind('sku')} />
        <Field label={t.products.category} maxLength={255} {...bind('category')} />
      </div>
      <Field label={t.products.description} isMultiline maxLength={4000} size="wide" {...bind('description')} />
      <div className={form.row}>{(['price', 'cost', 'weight'] as const).map(number)}</div>
      <div className={form.row}>{(['width', 'height', 'depth'] as const).map(number)}</div>
      <div className={form.row}>{(['minimum_threshold', 'reorder_quantity', 'sales_unit'] as const).map(number)}</div>
      <Checkbox label={t.products.weighable} isSelected={weighable} onChange={setWeighable} />
      {weighable && number('pick_tolerance_percent')}
      <Field label={t.products.photoAddress} maxLength={2048} size="wide" {...bind('photo_url')} />
    </>
  )
}
