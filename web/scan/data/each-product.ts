import type { FulfillmentClient, ProductWithStock } from '@fulfillment/sdk'

/** So many products are read at once; the others four a second, so that picks find the rate limit free. */
const AT_ONCE = 20
const PAUSE_MS = 250

/** Reads products one after another, in the background. */
export async function* eachProduct(client: FulfillmentClient, ids: readonly number[]): AsyncGenerator<ProductWithStock> {
  for (const [index, id] of ids.entries()) {
    if (index >= AT_ONCE) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    yield await client.products.get(id)
  }
}
