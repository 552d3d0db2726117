import { reserve } from '../../support/reservations.ts'
import type { TestTenant } from './browser.ts'
import { seed } from './page-server.ts'
import { deviceOf, newOperator } from './scan-client.ts'

/** Every screen that needs no record. */
export const SCREENS = [
  '/',
  '/orders',
  '/orders/new',
  '/products',
  '/products/new',
  '/products/import',
  '/stock',
  '/stock/import',
  '/movements',
  '/picking',
  '/reservations',
  '/reservations?show=holds',
  '/inbound',
  '/inbound/new',
  '/returns',
  '/returns/new',
  '/counts',
  '/counts/new',
  '/locations',
  '/locations/labels',
  '/settings',
  '/keys',
  '/keys/new',
  '/operators',
  '/devices',
  '/devices/commands',
  '/sessions',
  '/shipments',
  '/webhooks',
  '/webhooks/new',
  '/events',
  '/usage',
  '/audit',
  '/reconcile',
]

/** Gives the tenant, which reserves, a record of each kind. Returns the addresses of their screens. */
export async function fillScreens(tenant: TestTenant): Promise<string[]> {
  const product = { name: 'Tea', barcode: '1', sku: 'TEA', minimum_threshold: 10, category: 'Tea' }
  const { id } = await seed(tenant, '/products', product)
  await seed(tenant, '/stock/bulk', { updates: [{ product_id: id, location_id: 'A-01', quantity: 3 }] })
  await reserve(tenant, 'track')
  const order = {
    order_tenant_id: 'SHOP-1',
    assembly_date: '2030-01-01',
    customer_name: 'Ada',
    order_detail: [{ barcode: '1', quantity: 1 }],
  }
  const { orders } = await seed(tenant, '/orders', order)
  const flow = await seed(tenant, '/flows', { order_id: orders[0].id, operator_email: 'ada@example.com' })
  await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '1', location_id: 'A-01', quantity: 1 })
  await seed(tenant, '/orders', { ...order, order_tenant_id: 'SHOP-2', assembly_date: '2020-01-01' })
  await seed(tenant, '/holds', { reference: 'cart-81', ttl_seconds: 86_400, lines: [{ product_id: id, quantity: 1 }] })
  const waiting = { ...order, order_tenant_id: 'SHOP-3', order_detail: [{ barcode: '1', quantity: 5 }] }
  const { orders: waitingOrders } = await seed(tenant, '/orders', waiting)
  const { orders: batched } = await seed(tenant, '/orders', { ...waiting, order_tenant_id: 'SHOP-4' })
  const batch = await seed(tenant, '/flow-batches', { order_ids: [batched[0].id], operator_email: 'ada@example.com' })
  const operator = await newOperator(tenant, { name: 'Ada Lovelace', email: 'ada@example.com', may_change_stock: true })
  await deviceOf(tenant, operator, { device_name: 'Handheld 3' })
  const inbound = await seed(tenant, '/inbound', {
    reference: 'PO-1',
    expected_at: '2030-01-15',
    lines: [{ product_id: id, quantity: 5 }],
  })
  await seed(tenant, `/inbound/${inbound.id}/receipts`, { product_id: id, quantity: 2, location_id: 'DOCK' })
  const returned = await seed(tenant, '/returns', {
    reference: 'RMA-1',
    reason: 'Too much',
    lines: [{ product_id: id, quantity: 2 }],
  })
  await seed(tenant, `/returns/${returned.id}/receipts`, { product_id: id, quantity: 1, disposition: 'scrap' })
  const count = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A-01'] })
  await seed(tenant, `/counts/${count.id}/entries`, { product_id: id, location_id: 'A-01', quantity: 1 })
  const sent = { ...order, order_tenant_id: 'SHOP-5', order_detail: [{ barcode: '1', quantity: 3 }] }
  const { orders: sentOrders } = await seed(tenant, '/orders', sent)
  await tenant.request('PUT', `/orders/${sentOrders[0].id}`, { state_id: 5 })
  const shipment = await seed(tenant, '/shipments', {
    reference: 'SHP-1',
    order_id: sentOrders[0].id,
    packages: [
      {
        lines: [{ barcode: '1', quantity: 2 }],
        weight: 1.4,
        carrier: 'DHL',
        tracking_number: '00340434292135100186',
        tracking_url: 'https://track.example.com/00340434292135100186',
      },
    ],
  })
  const keys = await seed(tenant, '/api-keys', {
    name: 'ERP',
    preset: 'erp_sync',
    ip_whitelist: ['192.168.100.0/24', '2001:db8:1234:5678::/64'],
    expires_at: '2030-12-31',
  })
  const webhook = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
  const delivery = await seed(tenant, `/webhooks/${webhook.id}/test`, {})
  const webhookScreens = [
    `/webhooks/${webhook.id}`,
    `/webhooks/${webhook.id}/deliveries/${delivery.id}`,
    `/events/${delivery.event_id}`,
  ]
  return [
    ...webhookScreens,
    `/products/${id}`,
    `/orders/${orders[0].id}`,
    `/orders/${waitingOrders[0].id}`,
    `/picking/${flow.id}`,
    `/picking/batches/${batch.id}`,
    `/inbound/${inbound.id}`,
    `/returns/${returned.id}`,
    `/counts/${count.id}`,
    `/shipments/${shipment.id}`,
    `/keys/${keys.id}`,
  ]
}
