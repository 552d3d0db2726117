// Keeps stock for a cart, checks it out, and shows what happens to a customer who comes too late.
import { APIError } from '@fulfillment/sdk'
import { client } from './client.ts'

const sku = 'CART-TEA'
await client.products.bulk({ products: [{ barcode: '4006381333962', sku, name: 'White tea 50 g' }] })
await client.stock.bulk({ updates: [{ sku, location_id: 'A-03', quantity: 3 }] })

// From now on an order is only accepted if stock can be reserved for all of it.
const { reservation_policy: before } = await client.settings.get()
await client.settings.update({ reservation_policy: 'strict' })
while ((await client.settings.get()).reservation_state !== 'ready') await new Promise((resolve) => setTimeout(resolve, 100))

const cart = `cart-${Date.now()}`
const hold = await client.holds.create({ reference: cart, ttl_seconds: 600, lines: [{ sku, quantity: 2 }] })
console.log(`${hold.reference} keeps 2 until ${hold.expires_at}`)

const [stock] = (await client.stock.availability({ sku })).availability
console.log(`on hand: ${stock?.on_hand}, held: ${stock?.held}, available: ${stock?.available}`)

const orderOf = (quantity: number, order_tenant_id: string) => ({
  order_tenant_id,
  assembly_date: '2026-12-01',
  order_detail: [{ barcode: '4006381333962', quantity }],
})

// Another customer wants two as well: only one is left.
try {
  await client.orders.create(orderOf(2, `${cart}-late`))
} catch (error) {
  if (!(error instanceof APIError) || error.code !== 'insufficient_stock') throw error
  console.log(`refused: ${error.message}`)
}

// The cart's own order takes over what the hold keeps.
const { orders } = await client.orders.create({ ...orderOf(2, cart), hold: cart })
console.log(`order ${orders[0]?.id} is ${orders[0]?.reservation_status}`)
console.log(`the hold is ${(await client.holds.get(hold.id)).state}`)

// For the other examples, and the next run of this one.
await client.orders.cancel(cart)
await client.settings.update({ reservation_policy: before })
