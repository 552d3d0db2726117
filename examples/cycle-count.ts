// Counts a shelf while stock is taken from it: the difference is posted, and what was taken is not lost.
import { APIError } from '@fulfillment/sdk'
import { client } from './client.ts'

const sku = 'COUNT-TEA'
const shelf = 'A-08'
await client.products.bulk({ products: [{ barcode: '4006381333993', sku, name: 'Earl Grey 100 g' }] })
await client.stock.bulk({ updates: [{ sku, location_id: shelf, quantity: 40 }] })

const levelNow = async () =>
  (await client.stock.getBySku(sku)).locations.find(({ location_id }) => location_id === shelf)?.quantity

// Whoever counts does not see what is expected.
const count = await client.counts.create({ location_ids: [shelf], blind: true, note: 'Weekly count' })
console.log(`${count.lines_total} level to count, expected: ${count.lines[0]?.expected_quantity}`)

// 38 lie there: two fewer than the books say. The entry's id makes it safe to send again.
const entry = { sku, location_id: shelf, quantity: 38, entry_id: 'scan-1' }
await client.counts.addEntry(count.id, entry)
await client.counts.addEntry(count.id, entry)

// Meanwhile, five are taken from the shelf.
await client.stock.adjust({ sku, location_id: shelf, adjustment_quantity: -5, reason: 'order_fulfillment' })

const review = await client.counts.submit(count.id)
const [line] = review.lines
console.log(`counted ${line?.counted_quantity}, expected ${line?.expected_quantity}, variance ${line?.variance}`)
await client.counts.approve(count.id)
console.log(`${shelf} has ${await levelNow()}`)

// A level that was set after it was counted must be counted again.
const second = await client.counts.create({ location_ids: [shelf] })
await client.counts.addEntry(second.id, { sku, location_id: shelf, quantity: 33 })
await client.stock.bulk({ updates: [{ sku, location_id: shelf, quantity: 30 }] })
await client.counts.submit(second.id)
try {
  await client.counts.approve(second.id)
} catch (error) {
  if (!(error instanceof APIError) || error.code !== 'count_error') throw error
  console.log(`refused: ${error.message}`)
}
await client.counts.reopen(second.id)
await client.counts.addEntry(second.id, { sku, location_id: shelf, quantity: 31 })
await client.counts.submit(second.id)
console.log(`${(await client.counts.approve(second.id)).state}: ${shelf} has ${await levelNow()}`)
