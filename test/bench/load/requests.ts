/** The requests that the load generator makes. Ids and barcodes are drawn at random from the given ranges. */
export interface RequestPlan {
  kind: keyof typeof MAKERS | 'mixed'
  /** The range of ids. */
  ids?: readonly [first: number, last: number]
  /** Query string of a list, without the question mark. */
  query?: string
  /** Query strings to draw from. */
  queries?: readonly string[]
  /** Whether new orders have a customer name: a different one each (`new`), or none. By default all have the same. */
  customer?: 'new' | 'none'
  /** Items of a bulk call, or orders of one submission. */
  items?: number
  /** Number of products, with consecutive barcodes. */
  products?: number
  /** Lines of each order that is picked, or of each delivery or count. */
  lines?: number
  /** Id of the product with number 1. */
  firstProduct?: number
  /** Each request has its own `Idempotency-Key`. */
  keyed?: boolean
}

export interface MadeRequest {
  method: string
  path: string
  body?: object
  idempotencyKey?: string
}

type Maker = (plan: RequestPlan) => MadeRequest

const MAKERS = {
  getTimeline: ({ ids }) => ({ method: 'GET', path: `/orders/${draw(ids)}/timeline` }),
  getOrder: ({ ids }) => ({ method: 'GET', path: `/orders/${draw(ids)}` }),
  getProduct: ({ ids }) => ({ method: 'GET', path: `/products/${draw(ids)}` }),
  listOrders: (plan) => ({ method: 'GET', path: withQuery('/orders', queryOf(plan)) }),
  listProducts: (plan) => ({ method: 'GET', path: withQuery('/products', queryOf(plan)) }),
  listAvailability: ({ query }) => ({ method: 'GET', path: withQuery('/stock/availability', query) }),
  listEvents: (plan) => ({ method: 'GET', path: withQuery('/events', queryOf(plan)) }),
  listMovements: ({ query }) => ({ method: 'GET', path: withQuery('/stock/movements', query) }),
  createOrder: (plan) => ({ method: 'POST', path: '/orders', body: newOrder(plan) }),
  createOrders: (plan) => ({
    method: 'POST',
    path: '/orders',
    body: { orders: Array.from({ length: plan.items ?? 1 }, () => newOrder(plan)) },
  }),
  orderHotProduct: (): MadeRequest => ({
    method: 'POST',
    path: '/orders',
    body: { ...newOrder({ kind: 'createOrder', products: 3 }), order_detail: [{ barcode: barcodeOf(1), quantity: 1 }] },
  }),
  adjustStock: ({ ids }) => ({
    method: 'POST',
    path: '/stock/adjustment',
    body: { product_id: draw(ids), location_id: 'A-1', adjustment_quantity: between(1, 5), reason: 'manual_adjustment' },
  }),
  setStock: ({ ids }) => ({
    method: 'PUT',
    path: `/stock/product/${draw(ids)}`,
    body: { location_id: 'A-2', quantity: between(100_000, 200_000), reason: 'inventory_count' },
  }),
  pick: (plan) => {
    const { ids, lines = 1, products = 1 } = plan
    const flow = draw(ids)
    const number = ((flow - (ids?.[0] ?? 1)) * lines + between(0, lines - 1)) % products
    return {
      method: 'POST',
      path: `/flows/${flow}/picks`,
      body: { barcode: barcodeOf(number + 1), location_id: 'A-1', quantity: 1 },
    }
  },
  receive: (plan) => {
    const { record, product } = lineOf(plan)
    return {
      method: 'POST',
      path: `/inbound/${record}/receipts`,
      body: { product_id: product, location_id: 'A-1', quantity: between(1, 5) },
    }
  },
  enterCount: (plan) => {
    const { record, product } = lineOf(plan)
    return {
      method: 'POST',
      path: `/counts/${record}/entries`,
      body: { product_id: product, location_id: 'A-1', quantity: between(1, 1_000_000) },
    }
  },
  bulkProducts: (plan) => {
    const price = between(1, 1_000_000) / 100
    return {
      method: 'POST',
      path: '/products/bulk',
      body: { products: window(plan, (number) => ({ ...productOf(number), price })) },
    }
  },
  bulkStock: (plan) => {
    const first = plan.ids?.[0] ?? 1
    const quantity = between(100_000, 200_000)
    return {
      method: 'POST',
      path: '/stock/bulk',
      body: {
        updates: window(plan, (number) => ({ product_id: first + number - 1, location_id: 'A-1', quantity: quantity + number })),
      },
    }
  },
} satisfies Record<string, Maker>

/** Half reads, half writes. */
const MIXED = [
  'getProduct',
  'getProduct',
  'listOrders',
  'listMovements',
  'createOrder',
  'adjustStock',
  'setStock',
  'bulkStock',
] as const

/** The next request of a plan. */
export function makeRequest(plan: RequestPlan): MadeRequest {
  const kind = plan.kind === 'mixed' ? (MIXED[between(0, MIXED.length - 1)] ?? 'getProduct') : plan.kind
  const request = MAKERS[kind](plan)
  return plan.keyed === true ? { ...request, idempotencyKey: `bench-${run}-${++keys}` } : request
}

/** The barcode of the product with this number, from 1, in every tenant of the seed. */
export function barcodeOf(number: number): string {
  return `B${String(number).padStart(8, '0')}`
}

const run = `${process.pid}-${Date.now().toString(36)}`
let orders = 0
let keys = 0

function newOrder({ products = 1, customer }: RequestPlan): object {
  const third = Math.floor(products / 3)
  const first = between(1, third)
  return {
    order_tenant_id: `BENCH-${run}-${++orders}`,
    assembly_date: '2026-12-01',
    ...(customer !== 'none' && { customer_name: customer === 'new' ? newName() : 'Customer Name' }),
    shipping_address: 'Some Street 1, Some City',
    order_detail: [1, 2, 3].map((quantity, line) => ({
      barcode: barcodeOf(first + line * third),
      quantity,
      price: 9.99 + 10 * line,
    })),
  }
}

/** A random name of 14 letters. */
function newName(): string {
  const word = (letters: number): string =>
    Array.from({ length: letters }, (_, index) => {
      const from = index % 2 === 0 ? 'bcdfghjklmnprstvwz' : 'aeiou'
      return from[between(0, from.length - 1)]
    }).join('')
  return `${word(6)} ${word(8)}`
}

/** A record, and the product of one of its lines. */
function lineOf({ ids, lines = 1, products = 1, firstProduct = 1 }: RequestPlan): { record: number; product: number } {
  const record = draw(ids)
  return { record, product: firstProduct + (((record - (ids?.[0] ?? 1)) * lines + between(0, lines - 1)) % products) }
}

const queryOf = ({ query, queries }: RequestPlan): string | undefined => queries?.[between(0, queries.length - 1)] ?? query

function productOf(number: number): object {
  return {
    barcode: barcodeOf(number),
    name: `Product number ${number}`,
    sku: `SKU-${number}`,
    category: 'category 1',
    weight: 1.25,
  }
}

/**
 * Consecutive items, as many as the plan has, from a random multiple of that number: two bulk calls of the same size have either the same
 * items or none in common.
 */
function window<Item>({ items = 1, products = 1 }: RequestPlan, item: (number: number) => Item): Item[] {
  const start = between(0, Math.floor(products / items) - 1) * items
  return Array.from({ length: items }, (_, index) => item(start + index + 1))
}

function draw(ids: RequestPlan['ids']): number {
  return between(ids?.[0] ?? 1, ids?.[1] ?? 1)
}

function between(first: number, last: number): number {
  return first + Math.floor(Math.random() * (last - first + 1))
}

const withQuery = (path: string, query: string | undefined): string => (query === undefined ? path : `${path}?${query}`)
