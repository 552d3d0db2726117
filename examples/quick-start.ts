// Creates a product, stock and an order, and lists the stock's movements.
import { APIError } from '@fulfillment/sdk'
import { client } from './client.ts'

const barcode = '4006381333931'

const product = await client.products
  .create({ name: 'Green tea 100 g', barcode, sku: 'TEA-100', price: 4.9, weight: 0.1 })
  .catch(async (error: unknown) => {
    // In a second run, the product exists.
    if (error instanceof APIError && error.code === 'already_exists') return client.products.getBySku('TEA-100')
    throw error
  })

const level = await client.stock.setLevel(product.id, { location_id: 'A-01', quantity: 25, reason: 'inventory_count' })
console.log(`stock at A-01: ${level.previous_quantity} -> ${level.new_quantity}`)

const { created_count, existing_count } = await client.orders.create({
  order_tenant_id: 'SHOP-1001',
  assembly_date: '2026-12-01',
  customer_name: 'Ada Lovelace',
  order_detail: [{ barcode, quantity: 2 }],
})
console.log(`orders created: ${created_count}, there before: ${existing_count}`)

for await (const order of client.orders.list({ state_id: 1 })) {
  console.log(`${order.order_tenant_id} is ${order.state_name}, ${order.items_count} line(s)`)
}

const { movements } = await client.stock.movements({ product_id: product.id, limit: 5 })
for (const { movement_type, quantity, new_quantity } of movements)
  console.log(`${movement_type} ${quantity}, then ${new_quantity}`)
