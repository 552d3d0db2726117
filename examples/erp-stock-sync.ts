// An ERP sends its catalog and stock, as often as it likes: bulk calls are idempotent, and an item that is wrong stops no other.
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
  // The ERP has one wrong figure, which must not stop the rest.
  onHand: index === 42 ? -3 : index * 2,
}))

/** Items a request; up to 1,000 are taken, 100 are recommended. */
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
  // Errors tell which item of the call they are about.
  for (const { index, error } of stock.errors) console.warn(`stock of ${batch[index]?.sku}: ${error}`)

  failed += catalog.errors.length + stock.errors.length
  console.log(`${catalog.created} created, ${catalog.updated} updated, ${stock.success} levels set`)
}
console.log(`done, ${failed} item(s) to look at`)
