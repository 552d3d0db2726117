import type { Product } from '@fulfillment/sdk'
import type { FulfillmentClient } from '../../command-line/sdk.ts'

/** The products in the order in which they were made, also deleted ones: their positions are those of the demo's catalog. */
export async function catalogOf(client: FulfillmentClient): Promise<Product[]> {
  const products: Product[] = []
  for (const is_active of [true, false])
    for await (const product of client.products.list({ is_active, limit: 100 })) products.push(product)
  return products.toSorted((a, b) => a.id - b.id)
}
