// Receives an inbound delivery as a scanner would, corrects a mistake, and takes back what a customer returns.
import { APIError } from '@fulfillment/sdk'
import { client } from './client.ts'

const [tea, mate] = ['RECEIVE-TEA', 'RECEIVE-MATE']
await client.products.bulk({
  products: [
    { barcode: '4006381333979', sku: tea, name: 'Oolong tea 100 g' },
    { barcode: '4006381333986', sku: mate, name: 'Mate 250 g' },
  ],
})

// The reference makes it safe to send the announcement again, for ever.
const reference = `PO-${Date.now()}`
const announcement = {
  reference,
  supplier: 'Tea Trade Ltd',
  expected_at: '2026-12-01',
  lines: [
    { sku: tea, quantity: 24 },
    { sku: mate, quantity: 10 },
  ],
}
const delivery = await client.inbound.create(announcement)
const [before] = (await client.stock.availability({ sku: tea })).availability
console.log(
  `${delivery.reference} is ${delivery.state}, again: ${(await client.inbound.create(announcement)).id === delivery.id}`,
)
console.log(`incoming: ${(before?.incoming ?? 0) >= 24}, next on ${before?.next_expected_at}`)

// Each scan has an id of its own: one that is sent twice counts once.
const scan = { barcode: '4006381333979', quantity: 12, location_id: 'DOCK', receipt_id: 'scan-1' }
await client.inbound.receive(delivery.id, scan)
const { inbound } = await client.inbound.receive(delivery.id, scan)
console.log(`received: ${inbound.lines.map((line) => `${line.received_quantity} of ${line.quantity}`).join(', ')}`)

try {
  await client.inbound.receive(delivery.id, { sku: tea, quantity: 13, location_id: 'DOCK' })
} catch (error) {
  if (!(error instanceof APIError) || error.code !== 'inbound_error') throw error
  console.log(`refused: ${error.message}`)
}

// A mistake: this was mate. Undo it, and receive the right thing.
await client.inbound.receive(delivery.id, { sku: tea, quantity: 10, location_id: 'DOCK', receipt_id: 'scan-2' })
await client.inbound.undoReceipt(delivery.id, 'scan-2')
await client.inbound.receive(delivery.id, { sku: mate, quantity: 10, location_id: 'DOCK', receipt_id: 'scan-3' })

// The rest does not come. What is there goes to its shelf.
const closed = await client.inbound.close(delivery.id)
console.log(`${closed.state} with ${closed.total_received} of ${closed.total_quantity}`)
await client.stock.transfer({ sku: tea, from_location_id: 'DOCK', to_location_id: 'A-07', quantity: 12 })

// A customer returns two of what was ordered: one is fine, one is broken.
const { orders } = await client.orders.create({
  order_tenant_id: `${reference}-order`,
  assembly_date: '2026-12-01',
  order_detail: [{ barcode: '4006381333979', quantity: 2 }],
})
const order = orders[0]
if (order === undefined) throw new Error('The order exists already')
await client.orders.update(order.id, { state_id: 5 })
const back = await client.returns.create({
  order_id: order.id,
  reason: 'Damaged in transport',
  lines: [{ sku: tea, quantity: 2 }],
})
await client.returns.receive(back.id, { sku: tea, quantity: 1, disposition: 'restock', location_id: 'A-07' })
const { return: taken } = await client.returns.receive(back.id, { sku: tea, quantity: 1, disposition: 'scrap' })
const [line] = taken.lines
console.log(`returned: ${line?.restocked_quantity} restocked, ${line?.scrapped_quantity} scrapped`)
await client.returns.close(back.id)
