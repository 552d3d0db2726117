import { makeRequest, type MadeRequest } from '../load/requests.ts'

/** What is measured of the neighbour: four streams of calls, and the delay of the webhooks that its orders cause. */
export const STREAMS = ['get', 'write', 'keyed POST', 'list'] as const
export type Stream = (typeof STREAMS)[number]

export interface Stock {
  products: readonly [first: number, last: number]
  /** Orders that the neighbour changes. */
  orders: readonly number[]
}

export interface NeighbourCall extends MadeRequest {
  /** The order that it creates, of which a webhook tells. */
  creates?: string
}

/** The calls of each stream, in turn. */
export const CALLS: Record<Stream, ((stock: Stock, count: number) => NeighbourCall)[]> = {
  get: [
    ({ orders }, count) => ({ method: 'GET', path: `/orders/${orders[count % orders.length]}` }),
    ({ products }) => makeRequest({ kind: 'getProduct', ids: products }),
  ],
  write: [
    ({ products }) => makeRequest({ kind: 'adjustStock', ids: products }),
    ({ orders }, count) => ({
      method: 'PUT',
      path: `/orders/${orders[(count >> 2) % orders.length]}`,
      body: { customer_name: `Customer ${count}` },
    }),
    ({ products }, count) => ({
      method: 'POST',
      path: '/stock/transfer',
      body: { product_id: products[0] + (count % 500), from_location_id: 'A-1', to_location_id: 'A-2', quantity: 1 },
    }),
    newOrder,
  ],
  'keyed POST': [
    ({ products }, count) => ({ ...makeRequest({ kind: 'adjustStock', ids: products }), idempotencyKey: `adjustment ${count}` }),
    (stock, count) => ({ ...newOrder(stock), idempotencyKey: `order ${count}` }),
  ],
  list: [() => makeRequest({ kind: 'listOrders' }), () => makeRequest({ kind: 'listMovements' })],
}

function newOrder({ products }: Stock): NeighbourCall {
  const made = makeRequest({ kind: 'createOrder', products: products[1] - products[0] + 1 })
  return { ...made, creates: (made.body as { order_tenant_id: string }).order_tenant_id }
}
