import { once } from 'node:events'
import { get, type ClientRequest, type IncomingMessage } from 'node:http'
import type { TestTenant } from './service.ts'

/** 27 MB in total: more than the buffers of both sockets hold. */
export const ORDERS = 40
export const LINES = 1_000
/** A list of these orders, which is sent in pieces. */
export const LARGE = '/api/v1/orders?include_details=true&limit=100'

/** Creates orders with very many lines. */
export async function createOrders(request: TestTenant['request'], count: number): Promise<void> {
  const barcode = 'large'
  await request('POST', '/products', { barcode, sku: 'LARGE', name: 'é'.repeat(255) })
  for (let n = 0; n < count; n++) {
    const order_detail = Array.from({ length: LINES }, () => ({ barcode, quantity: 1 }))
    await request('POST', '/orders', { order_tenant_id: `large ${n}`, assembly_date: '2030-01-01', order_detail })
  }
}

/** Sends a request and returns its response, which is not read yet. `onSent` gets the request, to close it. */
export async function openResponse(
  url: string,
  key: string,
  onSent: (request: ClientRequest) => void = () => {},
): Promise<IncomingMessage> {
  const asked = get(url, { headers: { 'x-api-key': key }, agent: false })
  asked.on('error', () => {})
  onSent(asked)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  return response
}
