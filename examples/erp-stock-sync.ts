// Sends an ERP's catalog and stock, as often as needed: bulk calls are idempotent, and an invalid item does not stop the others.
import { client } from './client.ts'

interface ErpItem {
  barcode: string
  sku: string
  name: string
  price: number
  bin: string
  onHand: number
}

const items: ErpItem[] = Array.from({ length: 250 }, (_, index) => ({
  barcode: `20000000${String(index).padStart(5, '0')}`,
  sku: `ERP-${index}`,
  name: `Item ${index}`,
  price: 1 + (index % 10),
  bin: `B-${index % 7}`,
  // One figure is wrong. It must not stop the others.
  onHand: index === 42 ? -3 : index * 2,
}))

/** Items per request: 100 are recommended, 1,000 is the maximum. */
const BATCH = 100

let failed = 0
for (let start = 0; start < items.length; start += BATCH) {
  const batch = items.slice(start, start + BATCH)

  const catalog = await client.products.bulk({
    products: batch.map(({ barcode, sku, name, price }) => ({ barcode, sku, name, price })),
  })
  for (const { barcode, error } of catalog.errors) console.warn(`product ${barcode}: ${error}`)

  const stock = await client.stock.bulk({
    updates: batch.map(({ sku, bin, onHand }) => ({ sku, location_id: bin, quantity: onHand })),
  })
  // Each error has the position of its item in the call.
  for (const { index, error } of stock.errors) console.warn(`stock of ${batch[index]?.sku}: ${error}`)

  failed += catalog.errors.length + stock.errors.length
  console.log(`${catalog.created} created, ${catalog.updated} updated, ${stock.success} levels set`)
}
console.log(`done, ${failed} item(s) to look at`)
