// Packs what was picked of an order in two shipments, follows them, and shows what is refused.
import { APIError } from '@fulfillment/sdk'
import { client } from './client.ts'

const [tea, mate] = ['PACK-TEA', 'PACK-MATE'] as const
const barcodes = { [tea]: '4006381334013', [mate]: '4006381334020' }
await client.products.bulk({
  products: [
    { barcode: barcodes[tea], sku: tea, name: 'White tea 100 g' },
    { barcode: barcodes[mate], sku: mate, name: 'Mate 500 g' },
  ],
})
for (const sku of [tea, mate]) await client.stock.adjust({ sku, location_id: 'A-09', adjustment_quantity: 10 })

const name = `PACK-${Date.now()}`
const { orders } = await client.orders.create({
  order_tenant_id: name,
  assembly_date: '2026-12-01',
  order_detail: Object.values(barcodes).map((barcode) => ({ barcode, quantity: 2 })),
})
const order = orders[0]
if (order === undefined) throw new Error('The order exists already')

/** Picks and completes the flow. */
async function pick(barcode: string, quantity: number): Promise<void> {
  const flow = await client.flows.start({ order_tenant_id: name, operator_email: 'ada@example.com' })
  await client.flows.pick(flow.id, { barcode, quantity, location_id: 'A-09' })
  await client.flows.complete(flow.id)
}
const status = async (): Promise<string> => (await client.orders.get(order.id)).shipment_status ?? 'none'

// The tea is picked first, and goes out by itself. The reference makes it safe to send this again, for ever.
await pick(barcodes[tea], 2)
const first = {
  reference: `${name}-1`,
  order_tenant_id: name,
  packages: [{ lines: [{ sku: tea, quantity: 2 }], weight: 0.4, width: 30, height: 10, depth: 20 }],
}
const shipment = await client.shipments.create(first)
console.log(`${shipment.reference} is ${shipment.state}, again: ${(await client.shipments.create(first)).id === shipment.id}`)
console.log(`the order is ${await status()}`)

try {
  await client.shipments.create({ order_id: order.id, packages: [{ lines: [{ sku: mate, quantity: 1 }] }] })
} catch (error) {
  if (!(error instanceof APIError) || error.code !== 'shipment_error') throw error
  console.log('refused: nothing was picked of the mate')
}

// The carrier takes it, and says how to follow it.
await client.shipments.update(shipment.id, {
  tracking: [{ number: 1, carrier: 'DHL', tracking_number: `JD${Date.now()}`, tracking_url: 'https://track.example.com/1' }],
})
await client.shipments.ship(shipment.id)
console.log(`shipped a part, the order is ${await status()}`)

// The mate follows in two packages. With it, the order is completed.
await pick(barcodes[mate], 2)
const rest = await client.shipments.create({
  order_id: order.id,
  packages: [{ lines: [{ sku: mate, quantity: 1 }] }, { lines: [{ sku: mate, quantity: 1 }] }],
})
await client.shipments.ship(rest.id)
console.log(`${rest.packages.length} more packages, the order is ${await status()}`)

const { shipments } = await client.shipments.list({ order_id: order.id })
for (const { id } of shipments) await client.shipments.deliver(id)
console.log(`${shipments.length} shipments arrived, the order is ${await status()}`)
