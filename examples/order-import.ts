// Imports the orders of a shop. After any failure, sending them again creates no duplicates.
import { APIError, ConnectionError } from '@fulfillment/sdk'
import { client } from './client.ts'

const barcode = '4006381333948'
await client.products.bulk({ products: [{ barcode, name: 'Black tea 100 g' }] })

const orders = Array.from({ length: 5 }, (_, index) => ({
  order_tenant_id: `IMPORT-${index + 1}`,
  assembly_date: '2026-12-01',
  order_detail: [{ barcode, quantity: index + 1 }],
}))

const first = await client.orders.create(orders)
console.log(`first import: ${first.created_count} created, ${first.existing_count} there before`)

// After a crash, all orders are sent again.
const again = await client.orders.create(orders)
console.log(`second import: ${again.created_count} created, ${again.existing_count} there before`)

// A submission is accepted as a whole or not at all. The error names each invalid order.
try {
  await client.orders.create([
    { order_tenant_id: 'IMPORT-6', assembly_date: '2026-12-01', order_detail: [{ barcode, quantity: 1 }] },
    { order_tenant_id: 'IMPORT-7', assembly_date: '2026-02-30', order_detail: [{ barcode, quantity: 0 }] },
  ])
} catch (error) {
  if (error instanceof ConnectionError)
    throw new Error('no response after all retries: run the import again later', { cause: error })
  if (!(error instanceof APIError) || error.code !== 'validation_error') throw error
  for (const detail of error.details ?? [])
    console.log(`refused: order ${'index' in detail ? detail.index : '?'}: ${detail.error}`)
}
