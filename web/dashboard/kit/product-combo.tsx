import type { Product } from '@fulfillment/sdk'
import { useEffect, useState } from 'react'
import { APIError } from '../../shared/api.ts'
import { client } from '../data/client.ts'
import { t } from '../../shared/texts/texts.ts'
import { useRead } from '../data/use-read.ts'
import { Combo } from './combo.tsx'

const AFTER_MS = 150
const LIMIT = 8

/** A field that finds a product by name, SKU or barcode. A wedge scanner types the barcode and Enter. */
export function ProductCombo({ label, name, hint, value, autoFocus, onProduct, onClear }: ProductComboProps) {
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<string>()
  const search = useDelayed(typed.trim())
  const { data } = useRead(
    ['products', 'combo', search],
    (api, options) => api.products.list({ search: search === '' ? undefined : search, limit: LIMIT }, options),
    { enabled: typed !== '' },
  )
  const products = data?.products ?? []
  const scan = async (text: string): Promise<void> => {
    if (text === '') return onClear?.()
    try {
      const { products: matching } = await client.products.list({ search: text, limit: LIMIT })
      const found =
        matching.find(({ barcode, external_id, name }) => [barcode, external_id, name].includes(text)) ??
        (matching.length < LIMIT ? undefined : await exactProduct(text))
      if (found === undefined) setProblem(t.products.unknown(text))
      else onProduct(found)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  return (
    <Combo
      label={label}
      {...(name === undefined ? {} : { name })}
      hint={hint}
      value={value}
      options={products.map(({ id, name, external_id, barcode }) => ({
        id: String(id),
        label: name,
        note: external_id ?? barcode,
      }))}
      problem={problem}
      autoFocus={autoFocus}
      onType={(text) => {
        setTyped(text)
        setProblem(undefined)
      }}
      onChoose={({ id }) => {
        const product = products.find((each) => String(each.id) === id)
        if (product !== undefined) onProduct(product)
      }}
      onText={(text) => void scan(text)}
    />
  )
}

interface ProductComboProps {
  label: string
  name?: string | undefined
  hint?: string | undefined
  value: string
  autoFocus?: boolean | undefined
  onProduct: (product: Product) => void
  onClear?: () => void
}

/** The product with exactly this barcode or SKU, which many others contain. */
async function exactProduct(text: string): Promise<Product | undefined> {
  const [code, named] = await Promise.all([
    unlessMissing(client.barcodes.scan({ code: text })),
    unlessMissing(client.products.getBySku(text)),
  ])
  const id = code?.product?.is_active === true && code.product.barcode === text ? code.product.id : named?.id
  return id === undefined ? undefined : await client.products.get(id)
}

async function unlessMissing<T>(reading: PromiseLike<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof APIError && error.status === 404) return undefined
    throw error
  }
}

/** A value some time after its last change. */
export function useDelayed<T>(value: T, afterMs = AFTER_MS): T {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return delayed
}
