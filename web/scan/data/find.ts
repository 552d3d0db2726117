import type { FulfillmentClient, Location, ProductWithStock } from '@fulfillment/sdk'
import { isSameCode } from '../../shared/gtin.ts'

const MOST_LOCATIONS = 10_000

/** The product with this barcode or SKU, with its stock; undefined if there is none. `texts` are readings of the code. */
export async function findProduct(client: FulfillmentClient, texts: readonly string[]): Promise<ProductWithStock | undefined> {
  for (const text of texts) {
    // GTINs are compared without leading zeros, and a search finds parts of a barcode.
    const { products } = await client.products.list({ search: text.replace(/^0+(?=\d{8})/, ''), limit: 100 })
    const found =
      products.find(({ barcode }) => barcode === text) ??
      products.find(({ barcode, external_id }) => isSameCode(barcode, text) || external_id === text)
    if (found !== undefined) return await client.products.get(found.id)
  }
  return undefined
}

/** The location with this code or id; undefined if there is none. */
export async function findLocation(client: FulfillmentClient, texts: readonly string[]): Promise<Location | undefined> {
  let seen = 0
  for await (const location of client.locations.list({ limit: 100 })) {
    if (texts.some((text) => text === location.code || text === location.id)) return location
    if (++seen >= MOST_LOCATIONS) return undefined
  }
  return undefined
}
