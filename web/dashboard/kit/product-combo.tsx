import type { Product } from '@fulfillment/sdk'
import { use, useRef, useState } from 'react'
import { APIError } from '../../shared/api.ts'
import { client } from '../data/client.ts'
import { announce } from '../data/messages.ts'
import { t } from '../../shared/texts/texts.ts'
import { untilSignedIn, useRead } from '../data/use-read.ts'
import { Combo } from './combo.tsx'
import { readErrorText } from './read-error-text.ts'
import { useDelayed } from './use-delayed.ts'
import { LookupsContext } from './use-readable.ts'

const LIMIT = 8

/**
 * A field that finds a product by name, SKU or any of its barcodes. A wedge scanner types the barcode and Enter. Texts are looked up one after
 * another, however fast they come.
 */
export function ProductCombo(props: ProductComboProps) {
  const { label, name, hint, value, autoFocus, isRequired, isAdding = false, onProduct, onClear } = props
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const [chosen, setChosen] = useState(0)
  const lookedUp = useRef(Promise.resolve())
  const lookups = use(LookupsContext)
  const queue = useRef<readonly string[]>([])
  const [waiting, setWaiting] = useState(queue.current)
  const slow = useDelayed(waiting[0])
  const search = useDelayed(typed.trim())
  const { data } = useRead(
    ['products', 'combo', search],
    (api, options) => api.products.list({ search: search === '' ? undefined : search, limit: LIMIT }, options),
    { enabled: typed !== '' },
  )
  const products = data?.products ?? []
  const lookUp = async (text: string): Promise<void> => {
    const found = await untilSignedIn(() => findProduct(text)).catch(readErrorText)
    lookups?.end(typeof found !== 'string')
    queue.current = queue.current.slice(1)
    setWaiting(queue.current)
    if (typeof found !== 'string') onProduct(found.product, found.units)
    else if (queue.current.length > 0) announce(found)
    else setProblem(found)
  }
  const scan = (text: string): void => {
    if (isAdding) setTyped('')
    if (text === '') return onClear?.()
    lookups?.begin()
    queue.current = [...queue.current, text]
    setWaiting(queue.current)
    lookedUp.current = lookedUp.current.then(() => lookUp(text))
  }
  return (
    <Combo
      // Emptied of what was chosen.
      key={isAdding ? chosen : 0}
      label={label}
      {...(name === undefined ? {} : { name })}
      hint={slow === undefined || slow !== waiting[0] ? hint : t.products.lookingUp(slow)}
      value={value}
      options={products.map(({ id, name, external_id, barcode }) => ({
        id: String(id),
        label: name,
        note: external_id ?? barcode,
      }))}
      problem={problem}
      autoFocus={autoFocus === true || chosen > 0}
      isEmptied={isAdding}
      isRequired={isRequired}
      onType={(text) => {
        setTyped(text)
        // Whoever scans on may not have seen it.
        if (isAdding && problem !== undefined) announce(problem)
        setProblem(undefined)
      }}
      onChoose={({ id }) => {
        const product = products.find((each) => String(each.id) === id)
        if (product === undefined) return
        setTyped('')
        setChosen(chosen + (isAdding ? 1 : 0))
        onProduct(product, 1)
      }}
      onText={scan}
    />
  )
}

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

/** The product that a text names, and how many units of it, or why there is none. */
async function findProduct(text: string): Promise<{ product: Product; units: number } | string> {
  const { products } = await client.products.list({ search: text, limit: LIMIT })
  const listed = products.find(({ barcode, external_id, name }) => [barcode, external_id, name].includes(text))
  if (listed !== undefined) return { product: listed, units: 1 }
  const code = await unlessMissing(client.barcodes.scan({ code: text }))
  const scanned = code?.product ?? undefined
  if (scanned?.is_active === false) return t.products.inactive(scanned.name)
  const id = scanned?.id ?? (await unlessMissing(client.products.getBySku(text)))?.id
  return id === undefined ? t.products.unknown(text) : { product: await client.products.get(id), units: code?.quantity ?? 1 }
}

async function unlessMissing<T>(reading: PromiseLike<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof APIError && error.status === 404) return undefined
    throw error
  }
}

/** Where a quantity is typed besides: that the scanned code stands for more than one unit. */
export const packHint = (units: number): string | undefined => (units === 1 ? undefined : t.products.packOf(units))
