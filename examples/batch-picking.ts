// Several orders in one walk: a batch, its stops in pick order, and picks into the slots of a cart.
import { client } from './client.ts'

// Creates products, stock and orders. Each run creates its own.
const run = Date.now()
const products = ['Green tea 100 g', 'Mint tea 100 g'].map((name, index) => ({
  name,
  barcode: `batch-${run}-${index}`,
  sku: `BATCH-${run}-${index}`,
}))
const [green, mint] = products as [(typeof products)[0], (typeof products)[0]]
await client.products.bulk({ products })
const levels = [
  { sku: green.sku, location_id: 'B-01', quantity: 2 },
  { sku: green.sku, location_id: 'B-09', quantity: 20 },
  { sku: mint.sku, location_id: 'B-04', quantity: 3 },
]
await client.stock.bulk({ updates: levels })
// The pick sequence runs from the highest location number to the lowest.
for (const [pick_sequence, id] of ['B-09', 'B-04', 'B-01'].entries()) await client.locations.update(id, { pick_sequence })

const linesOfOrders = [
  [{ barcode: green.barcode, quantity: 3 }],
  [
    { barcode: mint.barcode, quantity: 2 },
    { barcode: green.barcode, quantity: 1 },
  ],
  [{ barcode: mint.barcode, quantity: 2 }],
]
const names = linesOfOrders.map((_, index) => `WALK-${run}-${index + 1}`)
const assembly_date = new Date().toISOString().slice(0, 10)
await client.orders.create({
  orders: linesOfOrders.map((order_detail, index) => ({ order_tenant_id: names[index]!, assembly_date, order_detail })),
})

// A flow for each order, all or none. With `rule` instead of names, the service chooses among the orders that are ready.
const walk = { order_tenant_ids: names, operator_email: 'ada@example.com', operator_id: 7, reference: `walk-${run}` }
const batch = await client.flowBatches.create(walk)
const again = await client.flowBatches.create(walk)
console.log(`batch of ${batch.slots.length} slots, again: ${again.id === batch.id}`)
for (const { product_id, quantity } of batch.missing)
  console.log(`missing: ${quantity} × ${(await client.products.get(product_id)).name}`)

// Picks are those of the flows. Each has its own id, so that a scanner can send it again.
for (const { location_id, location_code, barcode, product_name, slots } of batch.stops)
  for (const { slot, flow_id, quantity } of slots) {
    await client.flows.pick(flow_id, { barcode, location_id, quantity, pick_id: `${location_id}/${barcode}` })
    console.log(`${location_code}: ${quantity} × ${product_name} into slot ${slot}`)
  }

// One unit of the last order is missing: its flow ends, and the order waits for a later one.
const { state, slots } = await client.flowBatches.complete(batch.id)
console.log(`the batch is ${state}`)
for (const { slot, order_id } of slots) console.log(`slot ${slot}: ${(await client.orders.get(order_id)).state_name}`)
