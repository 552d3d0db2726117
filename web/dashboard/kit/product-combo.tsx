import type { Product } from '@fulfillment/sdk'
import { useEffect, useState } from 'react'
import { announce } from '../data/messages.ts'
import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Combo } from './combo.tsx'
import { useDelayed } from './use-delayed.ts'
import { useProductLookups } from './use-product-lookups.ts'

/** Options that are offered. */
const LIMIT = 8

interface ProductComboProps {
  label: string
  name?: string | undefined
  hint?: string | undefined
  value: string
  autoFocus?: boolean | undefined
  isRequired?: boolean | undefined
  /** The field takes one product after another, and is empty again after each. */
  isAdding?: boolean
  /** `units` is what the scanned code stands for: the content of a pack, a weight; otherwise 1. */
  onProduct: (product: Product, units: number) => void
  onClear?: () => void
}

/** A field that finds a product by name, SKU or any of its barcodes. A wedge scanner types the barcode and Enter. */
export function ProductCombo(props: ProductComboProps) {
  const { label, name, hint, value, autoFocus, isRequired, isAdding = false, onProduct, onClear } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const [chosen, setChosen] = useState(0)
  const found = ({ product, units }: { product: Product; units: number }): void => {
    setProblem(undefined)
    onProduct(product, units)
  }
  const lookups = useProductLookups(found, setProblem)
  // One field has one product: what was typed, chosen or emptied last counts, however late an earlier text is found.
  const supersede = (isUnknown = false): void => {
    if (!isAdding) lookups.supersede(isUnknown)
  }
  useEffect(() => setProblem(undefined), [value])
  const search = useDelayed(typed.trim())
  const { data } = useRead(
    ['products', 'combo', search],
    (api, options) => api.products.list({ search: search === '' ? undefined : search, limit: LIMIT }, options),
    { enabled: typed !== '' },
  )
  const products = data?.products ?? []
  const enter = (text: string): void => {
    if (isAdding) setTyped('')
    supersede()
    if (text === '') onClear?.()
    else lookups.lookUp(text)
  }
  const choose = (id: string): void => {
    const product = products.find((each) => String(each.id) === id)
    if (product === undefined) return
    supersede()
    setTyped('')
    if (isAdding) setChosen(chosen + 1)
    onProduct(product, 1)
  }
  const type = (text: string): void => {
    supersede(text !== '' && text !== value)
    setTyped(text)
    // Whoever scans on may not have seen it.
    if (isAdding && problem !== undefined) announce(problem)
    setProblem(undefined)
  }
  return (
    <Combo
      // A new field after each choice, emptied of what was chosen.
      key={isAdding ? chosen : 0}
      label={label}
      {...(name === undefined ? {} : { name })}
      hint={lookups.slow === undefined ? hint : t.products.lookingUp(lookups.slow)}
      value={value}
      options={products.map(optionOf)}
      problem={problem}
      autoFocus={autoFocus === true || chosen > 0}
      isEmptied={isAdding}
      isRequired={isRequired}
      onType={type}
      onChoose={({ id }) => choose(id)}
      onText={enter}
    />
  )
}

const optionOf = ({ id, name, external_id, barcode }: Product) => ({ id: String(id), label: name, note: external_id ?? barcode })

/** Where a quantity is typed besides: that the scanned code stands for more than one unit. */
export const packHint = (units: number): string | undefined => (units === 1 ? undefined : t.products.packOf(units))
