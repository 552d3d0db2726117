// Keeps stock for a cart, checks it out, and shows what happens to a customer who comes too late.
import { setTimeout } from 'node:timers/promises'
import { APIError } from '@fulfillment/sdk'
import { client } from './client.ts'

const sku = 'CART-TEA'
const cart = `cart-${Date.now()}`
await client.products.bulk({ products: [{ barcode: '4006381333962', sku, name: 'White tea 50 g' }] })
await client.stock.bulk({ updates: [{ sku, location_id: 'A-03', quantity: 3 }] })

const { reservation_policy: before } = await client.settings.get()
// By your choice, or because an earlier run was killed: this one cannot know.
if (before === 'strict')
  console.log(
    "The policy was strict before and stays so. If you want it off: client.settings.update({ reservation_policy: 'off' })",
  )

// Ctrl-C ends the wait below instead of the process, so that what was changed is undone.
const stop = new AbortController()
process.on('SIGINT', () => stop.abort())

try {
  // From now on an order is only accepted if stock can be reserved for all of it.
  await client.settings.update({ reservation_policy: 'strict' })
  while ((await client.settings.get()).reservation_state !== 'ready') await setTimeout(100, undefined, { signal: stop.signal })

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
} finally {
  // Also after a failure: for the other examples, and the next run of this one.
  await client.orders.cancel(cart).catch(() => undefined)
  const { holds } = await client.holds.list({ reference: cart, state: 'active' })
  for (const { id } of holds) await client.holds.release(id)
  await client.settings.update({ reservation_policy: before })
}
