import type { Product } from '@fulfillment/sdk'
import { isMissing } from '../../shared/is-unanswered.ts'
import { t } from '../../shared/texts/texts.ts'
import { client } from '../data/client.ts'

export interface FoundProduct {
  product: Product
  /** What the text stands for: the content of a pack, a weight; otherwise 1. */
  units: number
}

/** So many matches are searched for one that is exactly the text. */
const LIMIT = 8

/** The product whose name, SKU or barcode a text is, or a sentence why there is none. */
export async function findProduct(text: string): Promise<FoundProduct | string> {
  const { products } = await client.products.list({ search: text, limit: LIMIT })
  const listed = products.find(({ barcode, external_id, name }) => [barcode, external_id, name].includes(text))
  if (listed !== undefined) return { product: listed, units: 1 }
  // The list leaves out inactive products, and does not tell what a code stands for.
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
    if (isMissing(error)) return undefined
    throw error
  }
}
