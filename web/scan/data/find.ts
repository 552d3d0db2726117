import { APIError, type FulfillmentClient, type Location, type Scan } from '@fulfillment/sdk'
import { isUnreadable } from '../../shared/is-unanswered.ts'

const MAX_LOCATIONS = 10_000
/** A text that is no code at all, such as one that is too long, or a code of nothing. */
const NOTHING = new Set([400, 404])

/**
 * What the server says of a code that names a product, a location or an order; undefined if it names none. `codes` are the readings `texts`
 * with their AIM prefix: the server needs it for products, and has locations and orders without it.
 */
export async function findCode(
  client: FulfillmentClient,
  texts: readonly string[],
  codes: readonly string[],
): Promise<Scan | undefined> {
  for (const code of new Set([...codes, ...texts])) {
    const found = await orNothing(client.barcodes.scan({ code }))
    if (found !== undefined && (found.product ?? found.location ?? found.order) !== null) return found
  }
  return undefined
}

/** A product that was scanned. */
export interface ScannedProduct {
  id: number
  name: string
  weighable: boolean
  /** What the scan stands for. */
  quantity: number
}

/** The product that a code names, or that has it as SKU; undefined if there is none. */
export async function findProduct(
  client: FulfillmentClient,
  texts: readonly string[],
  codes: readonly string[],
): Promise<ScannedProduct | undefined> {
  const found = await findCode(client, texts, codes)
  return found?.product ? productOf(found) : await findBySku(client, texts)
}

/** The product that a code names; undefined if it names none. */
export const productOf = ({ product, quantity }: Scan): ScannedProduct | undefined =>
  product === null ? undefined : { id: product.id, name: product.name, weighable: product.weighable, quantity: quantity ?? 1 }

/** The product with one of these texts as SKU. */
export async function findBySku(client: FulfillmentClient, texts: readonly string[]): Promise<ScannedProduct | undefined> {
  for (const text of texts) {
    const known = await orNothing(client.products.getBySku(text))
    if (known === undefined) continue
    const { id, name, weighable } = await client.products.get(known.id)
    return { id, name, weighable, quantity: 1 }
  }
  return undefined
}

/** The location with this id; undefined if there is none. It may take very many calls: only the list says all of a location. */
export async function findLocation(client: FulfillmentClient, id: string): Promise<Location | undefined> {
  let seen = 0
  for await (const location of client.locations.list({ limit: 100 })) {
    if (location.id === id) return location
    if (++seen >= MAX_LOCATIONS) return undefined
  }
  return undefined
}

async function orNothing<T>(call: PromiseLike<T>): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof APIError && NOTHING.has(error.status) && !isUnreadable(error)) return undefined
    throw error
  }
}
