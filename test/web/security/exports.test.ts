import { request } from 'undici'
import { describe, expect } from 'vitest'
import { parse } from 'csv-parse/sync'
import { it } from '../../support/it.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { seed } from '../support/page-server.ts'
import { outcome, type PageClient, type PageResponse, signedIn } from '../support/page-client.ts'

type Row = Record<string, string>

const LIVE = { 'x-page-mode': 'live' }
/** A navigation has none of the headers of a page. */
const NAVIGATION = { 'x-page': undefined, 'sec-fetch-site': undefined }

async function start(client: PageClient, resource: string, query: object = {}, headers: object = LIVE): Promise<PageResponse> {
  return await client.send('POST', '/dashboard/exports', { resource, query }, { ...headers })
}

async function exported(client: PageClient, resource: string, query: object = {}, headers: object = LIVE): Promise<Row[]> {
  const { body } = await start(client, resource, query, headers)
  const response = await client.send('GET', body.data.url, undefined, NAVIGATION)
  expect(response.status).toBe(200)
  return parse<Row>(response.text, { columns: true, bom: true })
}

/** Products P-1 and so on, made within the same microseconds, as a migration makes them. */
async function insertProducts({ db }: TestService, tenant: TestTenant, count: number): Promise<void> {
  await db.dedicatedPool.query(
    `insert into products (tenant_id, barcode, name, external_id, created_at, updated_at)
     select $1, 'P-' || n, case n % 3 when 0 then '=HYPERLINK("x")' else 'Tea ' || n end, 'P-' || n, now() - n / 700 * interval '1 microsecond', now()
     from generate_series(1, $2::int) n`,
    [tenant.id, count],
  )
}

const orderOf = (number: number) => ({
  order_tenant_id: `SHOP-${number}`,
  assembly_date: number % 2 === 0 ? '2030-01-01' : '2030-01-02',
  customer_name: number % 3 === 0 ? '=cmd|calc' : `M\u00FCller ${number}`,
  order_detail: [
    { barcode: '1', quantity: 2 },
    { barcode: '2', quantity: 1 },
  ],
})

describe('an export', () => {
  it('has every row once, in the order of the list, with cells that no spreadsheet runs', async ({ service, tenant }) => {
    await insertProducts(service, tenant, 50_000)
    const client = await signedIn(service.url, tenant.key)
    const { body } = await start(client, 'products')
    const response = await client.send('GET', body.data.url, undefined, NAVIGATION)
    expect(response.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="products-\d{4}-\d\d-\d\d\.csv"$/),
      'cache-control': 'no-store',
    })
    const rows = parse<Row>(response.text, { columns: true, bom: true })
    expect(rows).toHaveLength(50_000)
    expect(new Set(rows.map(({ barcode }) => barcode)).size).toBe(50_000)
    expect(new Set(rows.map(({ name }) => name?.slice(0, 4)))).toEqual(new Set(["'=HY", 'Tea ']))
    const listed = (await tenant.request('GET', '/products?limit=100&page=60')).body.data.products
    expect(rows.slice(5_900, 6_000).map(({ id }) => Number(id))).toEqual(listed.map(({ id }: { id: number }) => id))
    expect(await exported(client, 'products', { search: 'tea 1234' })).toHaveLength(8)
    expect(await exported(client, 'products', { is_active: false })).toEqual([])
  })

  it('has what the filters of each list match', async ({ service, tenant }) => {
    await seed(tenant, '/products', { name: 'Green tea', barcode: '1', sku: 'TEA', minimum_threshold: 10, category: 'Tea' })
    await seed(tenant, '/products', { name: 'Salt', barcode: '2', sku: 'SALT' })
    const { orders } = await seed(tenant, '/orders', { orders: Array.from({ length: 60 }, (_, index) => orderOf(index)) })
    await seed(tenant, '/stock/bulk', {
      updates: ['A', 'B'].flatMap((location_id) => [
        { sku: 'TEA', location_id, quantity: 4 },
        { sku: 'SALT', location_id, quantity: 9.5 },
      ]),
    })
    await seed(tenant, `/orders/${orders[0].id}`, { state_id: 5 }, 'PUT')
    const flow = await seed(tenant, '/flows', { order_id: orders[1].id, operator_email: 'ada@example.com' })
    await seed(tenant, `/flows/${flow.id}/picks`, { barcode: '2', location_id: 'B', quantity: 1 })
    const client = await signedIn(service.url, tenant.key)
    const numbersOf = async (query: object) =>
      (await exported(client, 'orders', query)).map((row) => `${row.order_tenant_id} ${row.barcode}`)
    expect(await numbersOf({})).toEqual(
      Array.from({ length: 120 }, (_, index) => `SHOP-${59 - Math.floor(index / 2)} ${1 + (index % 2)}`),
    )
    expect(await numbersOf({ state_id: [5, 7] })).toEqual(['SHOP-0 1', 'SHOP-0 2'])
    expect(await numbersOf({ assembly_date: '2030-01-01', customer_name: 'M\u00DCLLER 5' })).toEqual(
      ['58', '56', '52', '50'].flatMap((number) => [`SHOP-${number} 1`, `SHOP-${number} 2`]),
    )
    expect(await numbersOf({ order_tenant_id: 'SHOP-7' })).toEqual(['SHOP-7 1', 'SHOP-7 2'])
    expect(await numbersOf({ end_date: '2020-01-01' })).toEqual([])
    expect((await exported(client, 'orders', { order_tenant_id: 'SHOP-3' }))[0]?.customer_name).toBe("'=cmd|calc")

    const movements = async (query: object) =>
      (await exported(client, 'movements', query)).map((row) => `${row.product_name} ${row.location_id} ${row.quantity}`)
    expect(await movements({})).toEqual(['Salt B 1', 'Salt B 9.5', 'Green tea B 4', 'Salt A 9.5', 'Green tea A 4'])
    expect(await movements({ product_id: 1 })).toEqual([])
    expect(await movements({ location_id: 'B', movement_type: 'ADJUSTMENT' })).toEqual(['Salt B 9.5', 'Green tea B 4'])
    expect(await movements({ order_id: orders[1].id })).toEqual(['Salt B 1'])
    const levels = async (query: object) =>
      (await exported(client, 'levels', query)).map((row) => `${row.sku} ${row.location_code} ${row.quantity}`)
    expect(await levels({})).toEqual(['TEA A 4', 'TEA B 4', 'SALT A 9.5', 'SALT B 8.5'])
    expect(await levels({ low: 'true' })).toEqual(['TEA A 4', 'TEA B 4'])
    expect(await levels({ location_id: 'B', search: 'sAL' })).toEqual(['SALT B 8.5'])
    const audit = await exported(client, 'audit', { operation: 'flows.pick' })
    expect(audit).toMatchObject([
      { operation: 'flows.pick', key_name: 'test key', input: expect.stringContaining('"barcode":"2"') },
    ])
    expect(await exported(client, 'audit', { operation: 'exports.start', surface: 'dashboard' })).not.toEqual([])

    const webhook = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:1/', events: ['*'] })
    await seed(tenant, `/webhooks/${webhook.id}/test`, {})
    expect(await exported(client, 'deliveries', { id: webhook.id })).toMatchObject([
      { webhook_id: webhook.id, event: 'order/created' },
    ])
    expect(await exported(client, 'deliveries', { id: webhook.id, state: 'succeeded' })).toEqual([])
  })

  it('of deliveries, returns and counts has a row for each line that the filters match, however many a record has', async ({
    service,
    tenant,
  }) => {
    const products = Array.from({ length: 400 }, (_, index) => ({ name: `Tea ${index}`, barcode: `${index}` }))
    await seed(tenant, '/products/bulk', { products })
    const linesOf = (count: number) => Array.from({ length: count }, (_, index) => ({ barcode: `${index}`, quantity: index + 1 }))
    const long = await seed(tenant, '/inbound', { reference: 'PO-1', supplier: '=cmd|calc', lines: linesOf(400) })
    await seed(tenant, '/inbound', { reference: 'PO-2', lines: linesOf(300) })
    const short = await seed(tenant, '/inbound', { reference: 'PO-3', lines: linesOf(2) })
    await seed(tenant, `/inbound/${short.id}/receipts`, { barcode: '1', quantity: 2, location_id: 'A' })
    const client = await signedIn(service.url, tenant.key)
    const deliveries = await exported(client, 'inbound')
    expect(deliveries).toHaveLength(702)
    expect(deliveries.map(({ reference }) => reference)).toEqual(
      ['PO-3', 'PO-2', 'PO-1'].flatMap((name, at) => Array([2, 300, 400][at]).fill(name)),
    )
    expect(deliveries.at(-1)).toMatchObject({
      id: String(long.id),
      supplier: "'=cmd|calc",
      product_name: 'Tea 399',
      quantity: '400',
    })
    const numbersOf = async (query: object) =>
      new Set((await exported(client, 'inbound', query)).map(({ reference }) => reference))
    expect(await numbersOf({ state: 'receiving' })).toEqual(new Set(['PO-3']))
    expect(await numbersOf({ reference: 'PO-2' })).toEqual(new Set(['PO-2']))
    expect(await numbersOf({ product_id: long.lines[350].product_id })).toEqual(new Set(['PO-1']))

    const order = { order_tenant_id: 'SHOP-1', assembly_date: '2030-01-01', order_detail: linesOf(2) }
    const [{ id: orderId }] = (await seed(tenant, '/orders', order)).orders
    await seed(tenant, `/orders/${orderId}`, { state_id: 5 }, 'PUT')
    const line = { barcode: '1', quantity: 1, reason: 'Torn' }
    const returned = await seed(tenant, '/returns', { reference: 'RMA-1', order_id: orderId, reason: 'Late', lines: [line] })
    await seed(tenant, '/returns', { reference: 'RMA-2', lines: linesOf(1) })
    await seed(tenant, `/returns/${returned.id}/receipts`, { barcode: '1', quantity: 1, disposition: 'scrap' })
    expect(await exported(client, 'returns', { order_id: orderId })).toMatchObject([
      { reference: 'RMA-1', order_tenant_id: 'SHOP-1', reason: 'Late', line_reason: 'Torn', scrapped_quantity: '1' },
    ])
    expect(await exported(client, 'returns')).toHaveLength(2)

    const count = await seed(tenant, '/counts', { reference: 'CC-1', location_ids: ['A'], blind: true })
    expect(await exported(client, 'counts', { warehouse_id: count.warehouse_id })).toMatchObject([
      { reference: 'CC-1', location_ids: '["A"]', location_code: 'A', expected_quantity: '', counted_quantity: '' },
    ])
    expect(await exported(client, 'counts', { state: 'approved' })).toEqual([])
    const reader = await signedIn(service.url, await tenant.createKey({ scopes: ['read:stock'] }))
    expect(outcome(await start(reader, 'returns'))).toEqual([403, 'insufficient_scope'])
  })

  it('has the data of its mode, and is in the audit log', async ({ service, tenant }) => {
    await seed(tenant, '/products', { name: 'Live tea', barcode: '1' })
    const client = await signedIn(service.url, tenant.key)
    await client.call('POST', '/products', { name: 'Test tea', barcode: '1' }, { 'x-page-mode': 'test' })
    const namesOf = async (mode: string) =>
      (await exported(client, 'products', {}, { 'x-page-mode': mode })).map(({ name }) => name)
    expect([await namesOf('live'), await namesOf('test')]).toEqual([['Live tea'], ['Test tea']])
    const { entries } = (await tenant.request('GET', '/audit-log?operation=exports.start')).body.data
    expect(entries).toMatchObject([
      { input: { resource: 'products', query: {} }, surface: 'dashboard', session_id: expect.any(Number) },
    ])
  })
})

describe('the link of an export', () => {
  it('is for the session that asked for it, and no other', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const { url } = (await start(client, 'products')).body.data
    const colleague = await signedIn(service.url, tenant.key)
    const stranger = await signedIn(service.url, (await service.newTenant()).key)
    for (const other of [colleague, stranger])
      expect(outcome(await other.send('GET', url, undefined, NAVIGATION))).toEqual([404, 'not_found'])
    expect(outcome(await client.send('GET', `${url.slice(0, -2)}xx`, undefined, NAVIGATION))).toEqual([404, 'not_found'])
    expect((await client.send('GET', url, undefined, NAVIGATION)).status).toBe(200)
    await client.send('DELETE', '/dashboard/session')
    expect(outcome(await client.send('GET', url, undefined, NAVIGATION))).toEqual([401, 'no_session'])
  })

  it('needs the scope of the list and a host of the pages, at both steps', async ({ service, tenant }) => {
    const key = await tenant.createKey({ scopes: ['read:orders'] })
    const client = await signedIn(service.url, key)
    expect(outcome(await start(client, 'products'))).toEqual([403, 'insufficient_scope'])
    expect(outcome(await start(client, 'audit'))).toEqual([403, 'insufficient_scope'])
    const { url } = (await start(client, 'orders')).body.data
    const foreign = { ...NAVIGATION, host: 'evil.example' }
    expect(outcome(await client.send('GET', url, undefined, foreign))).toEqual([403, 'origin_not_allowed'])
    await service.db.dedicatedPool.query(
      `update api_keys set scopes = '{read:products}' where tenant_id = $1 and scopes = '{read:orders}'`,
      [tenant.id],
    )
    await expect
      .poll(async () => outcome(await client.send('GET', url, undefined, NAVIGATION)))
      .toEqual([403, 'insufficient_scope'])
  })

  it('is refused for wrong filters and unknown lists', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    expect(outcome(await start(client, 'orders', { start_date: 'yesterday' }))).toEqual([400, 'validation_error'])
    expect(outcome(await start(client, 'secrets'))).toEqual([400, 'validation_error'])
    expect(outcome(await client.send('POST', '/dashboard/exports', { resource: 7 }, LIVE))).toEqual([400, 'validation_error'])
  })

  it('is refused while the tenant has an export under way; one that is cancelled ends', async ({ service, tenant }) => {
    await insertProducts(service, tenant, 60_000)
    const client = await signedIn(service.url, tenant.key)
    const { url } = (await start(client, 'products')).body.data
    // Nobody reads it.
    const unread = await request(`${service.url}${url}`, { headers: { cookie: client.cookie ?? '' } })
    expect(unread.statusCode).toBe(200)
    const refused = await start(client, 'products')
    expect([...outcome(refused), refused.headers['retry-after']]).toEqual([503, 'service_unavailable', '5'])
    expect(outcome(await client.send('GET', url, undefined, NAVIGATION))).toEqual([503, 'service_unavailable'])
    const neighbour = await service.newTenant()
    expect(await exported(await signedIn(service.url, neighbour.key), 'products')).toEqual([])
    unread.body.on('error', () => {}).destroy()
    await expect.poll(async () => (await start(client, 'products')).status, { timeout: 30_000 }).toBe(200)
  })

  it('ends with its session, however slowly it is read', async ({ service, tenant }) => {
    await insertProducts(service, tenant, 60_000)
    const client = await signedIn(service.url, tenant.key)
    const { url } = (await start(client, 'products')).body.data
    const unread = await request(`${service.url}${url}`, { headers: { cookie: client.cookie ?? '' } })
    const [session] = (await tenant.request('GET', '/sessions')).body.data.sessions
    expect((await tenant.request('DELETE', `/sessions/${session.id}`)).status).toBe(200)
    await expect(unread.body.text()).rejects.toBeInstanceOf(Error)
  })
})
