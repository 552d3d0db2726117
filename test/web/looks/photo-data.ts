import { createServer, type Server } from 'node:http'
import { once } from 'node:events'

/** Sends JSON to the API with an admin key, and returns the data of the response. */
export type Call = (method: string, path: string, body?: unknown) => Promise<Record<string, unknown> & { id: number }>

const PRODUCTS = [
  { name: 'Green tea 100 g', category: 'Tea', price: 4.9, minimum_threshold: 20 },
  { name: 'Earl Grey 250 g', category: 'Tea', price: 12.5, minimum_threshold: 10 },
  { name: 'Assam 20 bags', category: 'Tea', price: 3.2, minimum_threshold: 40 },
  { name: 'Jasmine pearls 50 g', category: 'Tea', price: 9.8 },
  { name: 'Stoneware teapot 0.8 l', category: 'Tableware', price: 34 },
  { name: 'Porcelain cup', category: 'Tableware', price: 11, minimum_threshold: 24 },
  { name: 'Iron kettle 1.2 l', category: 'Tableware', price: 59 },
  { name: 'Bamboo whisk', category: 'Accessories', price: 14 },
] as const

const CUSTOMERS = ['Ada Lovelace', 'Grace Hopper', 'Katherine Johnson', 'Alan Turing', 'Hedy Lamarr', 'Radia Perlman']
const ORDERS = 12
const PICKING = 9
// Shown in a picture, so always the same.
const PORT = 4_198

const barcodeOf = (product: number): string => String(4_006_381_333_931 + product)

/** What the screenshots show. */
export interface PhotoData {
  /** An order that is being picked. */
  orderId: number
  webhookId: number
  close(): void
}

/** Creates products, stock, orders, a picking flow and a webhook over the API. Records of a list are created one after another: their order is fixed. */
export async function createPhotoData(call: Call): Promise<PhotoData> {
  const products = PRODUCTS.map((product, index) => ({ ...product, barcode: barcodeOf(index), sku: `TEA-${100 + index}` }))
  await call('POST', '/products/bulk', { products })
  const receiver = await startReceiver()
  const url = `http://127.0.0.1:${PORT}/events`
  const webhook = await call('POST', '/webhooks', { name: 'Shop', url, events: ['order/created', 'order/cancelled'] })
  for (const { sku } of products) await call('POST', '/stock/bulk', { updates: levelsOf(sku) })
  const orderIds: number[] = []
  for (let index = 0; index < ORDERS; index++) orderIds.push(await createOrder(call, index))
  const idOf = (index: number): number => orderIds[index] ?? 0
  for (const index of [6, 8]) await call('PUT', `/orders/${idOf(index)}`, { state_id: 2 })
  for (const index of [0, 1, 2, 4]) await call('PUT', `/orders/${idOf(index)}`, { state_id: 5 })
  await call('POST', `/orders/${idOf(3)}/cancel`, { reason: 'Ordered twice' })
  await pick(call, idOf(PICKING))
  return { orderId: idOf(PICKING), webhookId: webhook.id, close: () => receiver.close() }
}

function levelsOf(sku: string): object[] {
  const seed = Number(sku.slice(-1))
  return [
    { sku, location_id: `A-0${1 + seed}`, quantity: 12 + seed * 7 },
    ...(seed % 3 === 0 ? [{ sku, location_id: 'BULK-1', quantity: 120 }] : []),
  ]
}

async function createOrder(call: Call, index: number): Promise<number> {
  const { orders } = (await call('POST', '/orders', {
    order_tenant_id: `SHOP-${1042 + index}`,
    assembly_date: `2026-12-${String(1 + (index % 9)).padStart(2, '0')}`,
    customer_name: CUSTOMERS[index % CUSTOMERS.length],
    shipping_address: '12 St James Square\nLondon SW1Y 4JH',
    order_detail: [0, 4, 5].map((product) => ({
      barcode: barcodeOf((product + index) % PRODUCTS.length),
      quantity: 1 + (index % 3),
    })),
  })) as unknown as { orders: { id: number }[] }
  return orders[0]?.id ?? 0
}

async function pick(call: Call, orderId: number): Promise<void> {
  const flow = await call('POST', '/flows', { order_id: orderId, operator_email: 'ada@example.com' })
  const product = PICKING % PRODUCTS.length
  const location_id = `A-0${1 + product}`
  await call('POST', `/flows/${flow.id}/picks`, { barcode: barcodeOf(product), location_id, quantity: 1, pick_id: 'scan-1' })
}

/** Acknowledges every event. */
async function startReceiver(): Promise<Server> {
  const server = createServer((request, response) => request.resume().on('end', () => response.end('ok'))).listen(
    PORT,
    '127.0.0.1',
  )
  await once(server, 'listening')
  return server
}
