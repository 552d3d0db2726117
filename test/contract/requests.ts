import { vi } from 'vitest'
import { reserve } from '../support/reservations.ts'
import { send, type TestTenant } from '../support/service.ts'

/** The records of a tenant with which every operation can be called once. */
export interface Records {
  product: { id: number; barcode: string; sku: string; pack: string }
  location: string
  warehouse: number
  order: { id: number; order_tenant_id: string }
  /** A running flow of another order, with one pick. */
  flow: { id: number; pick: string }
  /** A batch of one slot, whose flow runs. */
  batch: number
  apiKey: number
  /** A session of the dashboard. */
  session: number
  operator: number
  /** A hold of the product: the tenant reserves. */
  hold: number
  /** A delivery of the product, with a receipt. */
  inbound: { id: number; receipt: string }
  /** A delivery of which nothing was received. */
  expected: number
  /** The same of returns, without an order. */
  returned: { id: number; receipt: string }
  announced: number
  /** A count of the product's level that is being counted, and one in review. */
  count: number
  inReview: number
  /** A completed order, a line of it, an open shipment of it with a package, and one that is shipped. */
  packed: { order: number; line: number; shipment: number; shipped: number }
  /** A webhook to a receiver that does not exist, with a delivery that waits for a retry. */
  webhook: { id: string; delivery: string; event: string }
}

/** A valid request for an operation on a tenant's records. */
export interface Sample {
  path: string
  body?: unknown
  /**
   * The response to the same request by another tenant. `not_found`: 404, the default if the path or the body names a record. `own`: the
   * operation only concerns the caller's own data, so it succeeds, and the response contains nothing of the first tenant. A function makes
   * further checks.
   */
  asOther?: 'not_found' | 'own' | ((response: { status: number; body: never }) => void)
}

let counter = 0
const unique = (): string => `${process.pid}-${++counter}`

/** Gives a record of the same tenant, and creates it the first time. */
type Need = <Name extends keyof Records>(name: Name) => Promise<Records[Name]>

type Makers = { [Name in keyof Records]: (tenant: TestTenant, need: Need) => Promise<Records[Name]> }

/** How each record is created through the API, from the others that it needs. */
const MAKERS: Makers = {
  product: async (tenant) => {
    const name = unique()
    const product = await created(tenant, '/products', {
      name: `Product ${name}`,
      barcode: `barcode-${name}`,
      sku: `sku-${name}`,
      weighable: true,
    })
    const pack = await created(tenant, `/products/${product.id}/barcodes`, { barcode: `pack-${name}`, quantity: 12 })
    return { id: product.id, barcode: product.barcode, sku: product.external_id, pack: pack.barcode }
  },
  location: async (tenant, need) => {
    const location_id = `location-${unique()}`
    await created(tenant, '/stock/adjustment', {
      product_id: (await need('product')).id,
      location_id,
      adjustment_quantity: 1_000,
    })
    return location_id
  },
  warehouse: async (tenant) => (await created(tenant, '/warehouses', { name: `Warehouse ${unique()}` })).id,
  order: newOrder,
  flow: async (tenant, need) => {
    const order = await newOrder(tenant, need)
    const flow = await created(tenant, '/flows', { order_id: order.id, operator_email: 'ada@example.com' })
    const { pick } = await created(tenant, `/flows/${flow.id}/picks`, {
      barcode: (await need('product')).barcode,
      location_id: await need('location'),
      quantity: 1,
    })
    return { id: flow.id, pick: pick.id }
  },
  batch: async (tenant, need) => {
    const order = await newOrder(tenant, need)
    return (await created(tenant, '/flow-batches', { order_ids: [order.id], operator_email: 'ada@example.com' })).id
  },
  apiKey: async (tenant) => (await created(tenant, '/api-keys', { name: 'another', preset: 'read_only' })).id,
  operator: async (tenant) => (await created(tenant, '/operators', { name: 'Ada', email: `${unique()}@example.com` })).id,
  hold: async (tenant, need) => {
    const product = await need('product')
    await need('location')
    await reserve(tenant, 'track')
    const lines = [{ product_id: product.id, quantity: 1 }]
    return (await created(tenant, '/holds', { reference: `cart-${unique()}`, lines })).id
  },
  inbound: async (tenant, need) => {
    const { id } = await created(tenant, '/inbound', { lines: await expectedLines(need) })
    const { receipt } = await created(tenant, `/inbound/${id}/receipts`, {
      product_id: (await need('product')).id,
      location_id: `dock-${unique()}`,
      quantity: 3,
    })
    return { id, receipt: receipt.id }
  },
  expected: async (tenant, need) => (await created(tenant, '/inbound', { lines: await expectedLines(need) })).id,
  returned: async (tenant, need) => {
    const { id } = await created(tenant, '/returns', { lines: await expectedLines(need) })
    const { receipt } = await created(tenant, `/returns/${id}/receipts`, {
      product_id: (await need('product')).id,
      disposition: 'restock',
      location_id: await need('location'),
      quantity: 1,
    })
    return { id, receipt: receipt.id }
  },
  announced: async (tenant, need) => (await created(tenant, '/returns', { lines: await expectedLines(need) })).id,
  count: async (tenant, need) => (await created(tenant, '/counts', { location_ids: [await need('location')] })).id,
  inReview: async (tenant, need) => {
    const { id } = await created(tenant, '/counts', { location_ids: [await need('location')] })
    await created(tenant, `/counts/${id}/submit`, {})
    return id
  },
  packed: packedOrder,
  session: signIn,
  webhook: async (tenant) => {
    const { id } = await created(tenant, '/webhooks', { name: unique(), url: NO_RECEIVER, events: ['product/created'] })
    await created(tenant, '/products', { name: 'Announced', barcode: unique() })
    return { id, ...(await firstDelivery(tenant, id)) }
  },
}

/** Creates records of a tenant, by default all, and what they are made of. */
export async function createRecords(
  tenant: TestTenant,
  names: Iterable<keyof Records> = Object.keys(MAKERS) as (keyof Records)[],
): Promise<Records> {
  const made = new Map<keyof Records, Promise<unknown>>()
  const need: Need = <Name extends keyof Records>(name: Name) => {
    const record = (made.get(name) ?? MAKERS[name](tenant, need)) as Promise<Records[Name]>
    made.set(name, record)
    return record
  }
  // One after the other, so that their ids have an order.
  for (const name of names) await need(name)
  return Object.fromEntries(await Promise.all([...made].map(async ([name, record]) => [name, await record]))) as Records
}

/** The sample request for an operation on a tenant with just the records that it is about: all of them take longer than most tests. */
export async function sampleOf(tenant: TestTenant, operationId: string): Promise<Sample> {
  const sample = SAMPLES[operationId]!
  const read = new Set<keyof Records>()
  const spy = new Proxy({} as Records, {
    get: (_, name) => {
      read.add(name as keyof Records)
      return {}
    },
  })
  sample(spy)
  return sample(await createRecords(tenant, read))
}

async function newOrder(tenant: TestTenant, need: Need): Promise<Records['order']> {
  return (await created(tenant, '/orders', orderOf((await need('product')).barcode))).orders[0]
}

async function expectedLines(need: Need): Promise<object[]> {
  return [{ product_id: (await need('product')).id, quantity: 8 }]
}

/** An order that was completed without picking, with two shipments. */
async function packedOrder(tenant: TestTenant, need: Need): Promise<Records['packed']> {
  const { barcode } = await need('product')
  const { id } = await newOrder(tenant, need)
  await tenant.request('PUT', `/orders/${id}`, { state_id: 5 })
  const packages = [{ lines: [{ barcode, quantity: 0.5 }], tracking_number: 'T1' }]
  const shipment = await created(tenant, '/shipments', { order_id: id, packages })
  const shipped = await created(tenant, '/shipments', { order_id: id, packages })
  await created(tenant, `/shipments/${shipped.id}/ship`, {})
  const line = shipment.packages[0].lines[0].order_detail_id
  return { order: id, line, shipment: shipment.id, shipped: shipped.id }
}

/** Starts a session of the dashboard and returns its id. */
async function signIn({ url, key }: TestTenant): Promise<number> {
  const page = { 'x-page': 'dashboard', 'sec-fetch-site': 'same-origin' }
  const { body } = await send(`${url}/dashboard/session`, 'POST', { key }, { headers: page })
  return body.data.id
}

/** A port that nothing listens on. */
const NO_RECEIVER = 'http://127.0.0.1:1/'

async function firstDelivery(tenant: TestTenant, webhookId: string): Promise<{ delivery: string; event: string }> {
  return vi.waitFor(
    async () => {
      const { body } = await tenant.request('GET', `/webhooks/${webhookId}/deliveries?state=pending`)
      const [delivery] = body.data.deliveries
      return { delivery: delivery.id, event: delivery.event_id }
    },
    { timeout: 60_000 },
  )
}

async function created(tenant: TestTenant, path: string, body: unknown) {
  const response = await tenant.request('POST', path, body)
  if (response.status !== 200) throw new Error(`POST ${path} responded with ${JSON.stringify(response.body)}`)
  return response.body.data
}

const orderOf = (barcode: string) => ({
  order_tenant_id: `order-${unique()}`,
  assembly_date: '2030-01-31',
  order_detail: [{ barcode, quantity: 2 }],
})

const own = { asOther: 'own' } as const

/** One valid request for every operation of the API, by operationId. A new operation without one fails the tests. */
export const SAMPLES: Record<string, (records: Records) => Sample> = {
  'products.create': () => ({ path: '/products', body: { name: 'New', barcode: unique() }, ...own }),
  'products.list': () => ({ path: '/products', ...own }),
  'products.get': ({ product }) => ({ path: `/products/${product.id}` }),
  'products.update': ({ product }) => ({ path: `/products/${product.id}`, body: { price: 2 } }),
  'products.delete': ({ product }) => ({ path: `/products/${product.id}` }),
  'products.getBySku': ({ product }) => ({ path: `/products/sku/${product.sku}` }),
  'products.bulk': ({ product }) => ({
    path: '/products/bulk',
    body: { products: [{ barcode: product.barcode, name: 'Bulk' }] },
    ...own,
  }),
  'products.checkBulk': ({ product }) => ({
    path: '/products/bulk/check',
    body: { products: [{ barcode: product.barcode, name: 'Bulk' }] },
    ...own,
  }),
  'barcodes.list': ({ product }) => ({ path: `/products/${product.id}/barcodes` }),
  'barcodes.add': ({ product }) => ({
    path: `/products/${product.id}/barcodes`,
    body: { barcode: unique(), quantity: 0.5, name: 'half' },
  }),
  'barcodes.remove': ({ product }) => ({ path: `/products/${product.id}/barcodes/${product.pack}` }),
  'barcodes.scan': ({ product }) => ({ path: `/scan?code=${product.pack}` }),
  'stock.setLevel': ({ product, location }) => ({
    path: `/stock/product/${product.id}`,
    body: { location_id: location, quantity: 5 },
  }),
  'stock.adjust': ({ product, location }) => ({
    path: '/stock/adjustment',
    body: { product_id: product.id, location_id: location, adjustment_quantity: 1 },
  }),
  'stock.bulk': ({ product, location }) => ({
    path: '/stock/bulk',
    body: { updates: [{ product_id: product.id, location_id: location, quantity: 3 }] },
    asOther: expectItemError,
  }),
  'stock.checkBulk': ({ product, location }) => ({
    path: '/stock/bulk/check',
    body: { updates: [{ product_id: product.id, location_id: location, quantity: 3 }] },
    asOther: expectItemError,
  }),
  'stock.transfer': ({ product, location }) => ({
    path: '/stock/transfer',
    body: { product_id: product.id, from_location_id: location, to_location_id: 'elsewhere', quantity: 1 },
  }),
  'stock.movements': ({ product }) => ({ path: `/stock/movements?product_id=${product.id}`, ...own }),
  'stock.levels': () => ({ path: '/stock/levels?cursor=0/a&limit=5', ...own }),
  'stock.overview': () => ({ path: '/stock', asOther: 'own' }),
  'stock.getBySku': ({ product }) => ({ path: `/stock/sku/${product.sku}?as_of=2030-01-01` }),
  'stock.reconcile': () => ({ path: '/stock/reconcile?cursor=0', ...own }),
  'stock.availability': ({ product }) => ({ path: `/stock/availability?product_id=${product.id}`, ...own }),
  'stock.reservations': ({ order }) => ({ path: `/stock/reservations?order_id=${order.id}`, ...own }),
  // Names a hold, because a tenant that has one reserves.
  'holds.create': ({ product, hold }) => ({
    path: '/holds',
    body: { reference: `after-${hold}-${unique()}`, lines: [{ product_id: product.id, quantity: 1 }] },
    asOther: expectUnknownProduct,
  }),
  'holds.list': () => ({ path: '/holds', ...own }),
  'holds.get': ({ hold }) => ({ path: `/holds/${hold}` }),
  'holds.update': ({ hold }) => ({ path: `/holds/${hold}`, body: { ttl_seconds: 60 } }),
  'holds.release': ({ hold }) => ({ path: `/holds/${hold}` }),
  'inbound.create': ({ product }) => ({
    path: '/inbound',
    body: { reference: unique(), expected_at: '2030-01-31', lines: [{ sku: product.sku, quantity: 1.5 }] },
    asOther: ({ status, body }: { status: number; body: { error?: { message: string } } }) => {
      if (status !== 400 || body.error?.message !== 'lines[0].sku: names no product')
        throw new Error(`expected an unknown product, got ${JSON.stringify(body)}`)
    },
  }),
  'inbound.list': ({ product }) => ({ path: `/inbound?state=receiving&product_id=${product.id}`, ...own }),
  'inbound.get': ({ inbound }) => ({ path: `/inbound/${inbound.id}` }),
  'inbound.update': ({ inbound }) => ({ path: `/inbound/${inbound.id}`, body: { supplier: 'Tea Trade', allow_over: true } }),
  'inbound.receive': ({ inbound, product, location }) => ({
    path: `/inbound/${inbound.id}/receipts`,
    body: { barcode: product.barcode, location_id: location, quantity: 0.5, receipt_id: 'scan/1', operator_id: 7 },
  }),
  'inbound.receipts': ({ inbound }) => ({ path: `/inbound/${inbound.id}/receipts` }),
  'inbound.undoReceipt': ({ inbound }) => ({ path: `/inbound/${inbound.id}/receipts/${inbound.receipt}` }),
  'inbound.close': ({ inbound }) => ({ path: `/inbound/${inbound.id}/close` }),
  'inbound.cancel': ({ expected }) => ({ path: `/inbound/${expected}/cancel`, body: { reason: 'too late' } }),
  'returns.create': ({ product }) => ({
    path: '/returns',
    body: { reference: unique(), reason: 'damaged', lines: [{ product_id: product.id, quantity: 1.5, reason: 'wet' }] },
    asOther: expectUnknownProduct,
  }),
  'returns.list': ({ order }) => ({ path: `/returns?state=expected&order_id=${order.id}`, ...own }),
  'returns.get': ({ returned }) => ({ path: `/returns/${returned.id}` }),
  'returns.update': ({ returned }) => ({ path: `/returns/${returned.id}`, body: { reason: 'wet', allow_over: true } }),
  'returns.receive': ({ returned, product }) => ({
    path: `/returns/${returned.id}/receipts`,
    body: { barcode: product.barcode, disposition: 'scrap', quantity: 0.5, receipt_id: 'scan/1', operator_id: 7 },
  }),
  'returns.receipts': ({ returned }) => ({ path: `/returns/${returned.id}/receipts` }),
  'returns.undoReceipt': ({ returned }) => ({ path: `/returns/${returned.id}/receipts/${returned.receipt}` }),
  'returns.close': ({ returned }) => ({ path: `/returns/${returned.id}/close` }),
  'returns.cancel': ({ announced }) => ({ path: `/returns/${announced}/cancel`, body: { reason: 'too late' } }),
  'counts.create': ({ location, product }) => ({
    path: '/counts',
    body: { reference: unique(), location_ids: [location], product_ids: [product.id], blind: true, note: 'weekly' },
    asOther: ({ status, body }: { status: number; body: { error?: { message: string } } }) => {
      if (status !== 400 || body.error?.message !== 'location_ids[0]: no location has this id')
        throw new Error(`expected an unknown location, got ${JSON.stringify(body)}`)
    },
  }),
  'counts.list': () => ({ path: '/counts?state=counting', ...own }),
  'counts.get': ({ count }) => ({ path: `/counts/${count}` }),
  'counts.addEntry': ({ count, product, location }) => ({
    path: `/counts/${count}/entries`,
    body: { barcode: product.barcode, location_id: location, quantity: 0, entry_id: 'scan/1', operator_id: 7 },
  }),
  'counts.submit': ({ count }) => ({ path: `/counts/${count}/submit` }),
  'counts.reopen': ({ inReview }) => ({ path: `/counts/${inReview}/reopen` }),
  'counts.approve': ({ inReview }) => ({ path: `/counts/${inReview}/approve`, body: { operator_id: 7 } }),
  'counts.cancel': ({ inReview }) => ({ path: `/counts/${inReview}/cancel`, body: { reason: 'wrong aisle' } }),
  'shipments.create': ({ packed, product }) => ({
    path: '/shipments',
    body: {
      reference: unique(),
      order_id: packed.order,
      packages: [{ lines: [{ sku: product.sku, quantity: 0.25 }], weight: 1.5, carrier: 'DHL' }],
    },
  }),
  'shipments.list': ({ packed }) => ({ path: `/shipments?state=open&order_id=${packed.order}&tracking_number=T1`, ...own }),
  'shipments.get': ({ packed }) => ({ path: `/shipments/${packed.shipment}` }),
  'shipments.update': ({ packed }) => ({
    path: `/shipments/${packed.shipment}`,
    body: {
      packages: [{ lines: [{ order_detail_id: packed.line, quantity: 0.25 }] }],
      tracking: [{ number: 1, carrier: 'DHL', tracking_url: 'https://track.example/1' }],
    },
  }),
  'shipments.ship': ({ packed }) => ({ path: `/shipments/${packed.shipment}/ship` }),
  'shipments.deliver': ({ packed }) => ({ path: `/shipments/${packed.shipped}/deliver` }),
  'shipments.cancel': ({ packed }) => ({ path: `/shipments/${packed.shipment}/cancel`, body: { reason: 'damaged' } }),
  'orders.blockers': ({ order }) => ({ path: `/orders/${order.id}/blockers` }),
  'orders.timeline': ({ order }) => ({ path: `/orders/${order.id}/timeline` }),
  'settings.get': () => ({ path: '/settings', ...own }),
  'settings.update': () => ({
    path: '/settings',
    body: { reservation_policy: 'track', weight_barcodes: [{ pattern: '21IIIIIWWWWWC', decimals: 3 }] },
    ...own,
  }),
  'locations.list': () => ({ path: '/locations', ...own }),
  'locations.create': ({ warehouse }) => ({
    path: '/locations',
    body: { id: unique(), warehouse_id: warehouse, pickable: false, sellable: false, pick_sequence: 7 },
    asOther: expectUnknownWarehouse,
  }),
  'locations.update': ({ location }) => ({ path: `/locations/${location}`, body: { name: 'Shelf', pick_sequence: 3 } }),
  'warehouses.list': () => ({ path: '/warehouses', ...own }),
  'warehouses.create': () => ({ path: '/warehouses', body: { name: 'East' }, ...own }),
  'orders.create': () => ({ path: '/orders', body: { orders: [] }, ...own }),
  'orders.list': ({ order }) => ({ path: `/orders?order_tenant_id=${order.order_tenant_id}&include_details=true`, ...own }),
  'orders.get': ({ order }) => ({ path: `/orders/${order.id}` }),
  'orders.update': ({ order }) => ({ path: `/orders/${order.id}`, body: { customer_name: 'Ada' } }),
  'orders.cancel': ({ order }) => ({ path: `/orders/${order.order_tenant_id}/cancel` }),
  'flows.start': ({ order }) => ({
    path: '/flows',
    body: { order_id: order.id, operator_email: 'ada@example.com', operator_id: 7 },
  }),
  'flows.list': () => ({ path: '/flows?state=started&order_id=1&operator_email=ada@example.com', ...own }),
  'flows.queue': () => ({ path: '/flows/queue?search=order', ...own }),
  'flows.assign': ({ flow }) => ({
    path: `/flows/${flow.id}/assign`,
    body: { operator_email: 'grace@example.com', operator_id: 8 },
  }),
  'flows.get': ({ flow }) => ({ path: `/flows/${flow.id}` }),
  'flows.pick': ({ flow, product, location }) => ({
    path: `/flows/${flow.id}/picks`,
    body: { barcode: product.barcode, location_id: location, quantity: 0.5, pick_id: 'scan/1' },
  }),
  'flows.undoPick': ({ flow }) => ({ path: `/flows/${flow.id}/picks/${flow.pick}` }),
  'flows.complete': ({ flow }) => ({ path: `/flows/${flow.id}/complete` }),
  'flows.cancel': ({ flow }) => ({ path: `/flows/${flow.id}/cancel`, body: { reason: 'shift ended' } }),
  'flowBatches.create': ({ order }) => ({
    path: '/flow-batches',
    body: { order_ids: [order.id], operator_email: 'ada@example.com', operator_id: 7, reference: unique() },
    asOther: ({ status, body }: { status: number; body: { error?: { message: string } } }) => {
      if (status !== 400 || body.error?.message !== 'order_ids[0]: names no order')
        throw new Error(`expected an unknown order, got ${JSON.stringify(body)}`)
    },
  }),
  'flowBatches.list': () => ({ path: '/flow-batches?state=started', ...own }),
  'flowBatches.get': ({ batch }) => ({ path: `/flow-batches/${batch}` }),
  'flowBatches.complete': ({ batch }) => ({ path: `/flow-batches/${batch}/complete` }),
  'flowBatches.cancel': ({ batch }) => ({ path: `/flow-batches/${batch}/cancel`, body: { reason: 'shift ended' } }),
  'webhooks.create': () => ({ path: '/webhooks', body: { name: 'mine', url: NO_RECEIVER, events: ['*'] }, ...own }),
  'webhooks.list': () => ({ path: '/webhooks', ...own }),
  'webhooks.get': ({ webhook }) => ({ path: `/webhooks/${webhook.id}` }),
  'webhooks.update': ({ webhook }) => ({ path: `/webhooks/${webhook.id}`, body: { name: 'renamed' } }),
  'webhooks.delete': ({ webhook }) => ({ path: `/webhooks/${webhook.id}` }),
  'webhooks.rotateSecret': ({ webhook }) => ({ path: `/webhooks/${webhook.id}/rotate-secret` }),
  'webhooks.test': ({ webhook }) => ({ path: `/webhooks/${webhook.id}/test`, body: { event: 'order/created' } }),
  'webhooks.deliveries': ({ webhook }) => ({ path: `/webhooks/${webhook.id}/deliveries?state=pending&event=product/created` }),
  'webhooks.getDelivery': ({ webhook }) => ({ path: `/webhooks/deliveries/${webhook.delivery}` }),
  'webhooks.retryDelivery': ({ webhook }) => ({ path: `/webhooks/deliveries/${webhook.delivery}/retry` }),
  'webhooks.replay': ({ webhook }) => ({ path: `/webhooks/${webhook.id}/replay`, body: { since: '2026-01-01' } }),
  'events.list': ({ webhook }) => ({
    path: `/events?cursor=${webhook.event}&after=${webhook.event}&event=order/created&since=2026-01-01`,
    ...own,
  }),
  'events.get': ({ webhook }) => ({ path: `/events/${webhook.event}` }),
  'auditLog.list': () => ({ path: '/audit-log?since=2020-01-01', ...own }),
  'sessions.list': () => ({ path: '/sessions', ...own }),
  'sessions.end': ({ session }) => ({ path: `/sessions/${session}` }),
  'operators.create': () => ({ path: '/operators', body: { name: 'Grace', email: `${unique()}@example.com` }, ...own }),
  'operators.list': () => ({ path: '/operators', ...own }),
  'operators.get': ({ operator }) => ({ path: `/operators/${operator}` }),
  'operators.update': ({ operator }) => ({ path: `/operators/${operator}`, body: { may_change_stock: true } }),
  'operators.issueBadge': ({ operator }) => ({ path: `/operators/${operator}/badge` }),
  'devices.createCode': () => ({ path: '/devices/codes', body: { device_name: 'Handheld' }, ...own }),
  'reports.orders': () => ({ path: '/reports/orders?since=2026-01-01&until=2026-12-31', ...own }),
  'reports.stock': ({ product }) => ({
    path: `/reports/stock?product_id=${product.id}&since=${new Date().toISOString().slice(0, 10)}`,
  }),
  'reports.picking': () => ({ path: `/reports/picking?since=${new Date().toISOString().slice(0, 10)}&by=operator`, ...own }),
  'reports.deliveries': () => ({ path: `/reports/deliveries?since=${new Date().toISOString().slice(0, 10)}`, ...own }),
  'reports.usage': () => ({ path: `/reports/usage?since=${new Date().toISOString().slice(0, 10)}`, ...own }),
  'apiKeys.create': () => ({ path: '/api-keys', body: { name: 'key', preset: 'stock_sync' }, ...own }),
  'apiKeys.list': () => ({ path: '/api-keys', ...own }),
  'apiKeys.get': ({ apiKey }) => ({ path: `/api-keys/${apiKey}` }),
  'apiKeys.revoke': ({ apiKey }) => ({ path: `/api-keys/${apiKey}` }),
}

/** Operations that change nothing, although their method is not GET. The audit log has no entry of their calls. */
export const CHECKS: ReadonlySet<string> = new Set(['products.checkBulk', 'stock.checkBulk'])

function expectItemError({ status, body }: { status: number; body: { data: { success: number; errors: unknown[] } } }): void {
  if (status !== 200 || body.data.success !== 0 || body.data.errors.length !== 1)
    throw new Error(`expected an item error, got ${JSON.stringify(body)}`)
}

function expectUnknownProduct({ status, body }: { status: number; body: { error?: { message: string } } }): void {
  if (status !== 400 || body.error?.message !== 'lines[0].product_id: names no product')
    throw new Error(`expected an unknown product, got ${JSON.stringify(body)}`)
}

function expectUnknownWarehouse({ status, body }: { status: number; body: { error?: { message: string } } }): void {
  if (status !== 400 || body.error?.message !== 'warehouse_id: no warehouse has this id')
    throw new Error(`expected an unknown warehouse, got ${JSON.stringify(body)}`)
}
