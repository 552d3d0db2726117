// From a product to a completed order: the calls of an operator's scanner, one by one.
import { client } from './client.ts'

// Creates products, stock and an order. Each run creates its own.
const run = Date.now()
const tea = { name: 'Green tea 100 g', barcode: `tea-${run}` }
const cheese = { name: 'Gouda, sold by weight', barcode: `gouda-${run}`, weighable: true }
const { id: teaId } = await client.products.create(tea)
const { id: cheeseId } = await client.products.create(cheese)
await client.stock.setLevel(teaId, { location_id: 'A-01', quantity: 2 })
await client.stock.setLevel(teaId, { location_id: 'B-07', quantity: 10 })
await client.stock.setLevel(cheeseId, { location_id: 'COLD-1', quantity: 4.5 })

const { orders } = await client.orders.create({
  order_tenant_id: `SHOP-${run}`,
  assembly_date: new Date().toISOString().slice(0, 10),
  order_detail: [
    { barcode: tea.barcode, quantity: 3 },
    { barcode: cheese.barcode, quantity: 1 },
  ],
})
const orderId = orders[0]!.id

// The operator begins. The order is now in state 3, and no other flow can be started for it.
const flow = await client.flows.start({ order_id: orderId, operator_email: 'ada@example.com', operator_id: 7 })
console.log(`flow ${flow.id}: ${flow.items_to_pick} lines, ${flow.total_quantity} to pick`)

// A wrong scan and its undo: the stock is as before.
await client.flows.pick(flow.id, { barcode: tea.barcode, location_id: 'B-07', quantity: 1, pick_id: 'mistake' })
await client.flows.undoPick(flow.id, 'mistake')

// The flow lists what is left to pick, and where its stock is. Each scan has its own id: a scanner that got no response sends the scan again.
let scans = 0
for (const line of (await client.flows.get(flow.id)).lines) {
  let { remaining } = line
  for (const { location_id, quantity } of line.locations) {
    const taken = Math.min(remaining, quantity)
    if (taken === 0) break
    const scan = { barcode: line.barcode, location_id, quantity: taken, pick_id: `scan-${++scans}` }
    await client.flows.pick(flow.id, scan)
    await client.flows.pick(flow.id, scan)
    remaining -= taken
    console.log(`${taken} × ${line.product_name} from ${location_id}, ${remaining} left`)
  }
}

// Everything is picked, so this completes the order. With open lines, the order would return to state 2 for another flow.
const completed = await client.flows.complete(flow.id)
const order = await client.orders.get(orderId)
console.log(
  `flow ${completed.id} is ${completed.state}, ${completed.total_quantity_picked} picked; order ${orderId} is ${order.state_name}`,
)
if (order.state_id !== 5) throw new Error('The order should be completed')
