import { parse } from 'csv-parse/sync'
import { describe, expect } from 'vitest'
import { runCommand } from '../command-line/run-command.ts'
import { connectAgent } from '../support/agent.ts'
import { newOrder } from '../support/orders.ts'
import { stockedProduct, stockOf } from '../support/picking.ts'
import type { TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { outcome, type PageClient, signedIn } from '../web/support/page-client.ts'
import { deviceOf, enrolled, newDeviceCode, newOperator, ScanClient } from '../web/support/scan-client.ts'
import { it } from './support/two-shards.ts'

const LIVE = { 'x-page-mode': 'live' }
const TEST = { 'x-page-mode': 'test' }

const namesOf = ({ body }: { body: { data: { products: { name: string }[] } } }): string[] =>
  body.data.products.map(({ name }) => name)

async function exportedNames(page: PageClient, mode: object = LIVE): Promise<(string | undefined)[]> {
  const { body } = await page.send('POST', '/dashboard/exports', { resource: 'products', query: {} }, { ...mode })
  const file = await page.send('GET', body.data.url, undefined, { 'x-page': undefined, 'sec-fetch-site': undefined })
  expect(file.status).toBe(200)
  return parse<Record<string, string>>(file.text, { columns: true, bom: true }).map(({ name }) => name)
}

describe('in a tenant of a further shard', () => {
  it('the scan app signs a device and an operator in, and picks', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { 'A-1': 5 })
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    const ada = await newOperator(tenant)
    const scan = await deviceOf(tenant, ada)
    expect((await scan.send('GET', '/scan/session')).body.data.operator).toMatchObject({ id: ada.id, email: ada.email })
    const { id } = (await scan.call('POST', '/flows', { order_id: order.id })).body.data
    const pick = { barcode: tea.barcode, location_id: 'A-1', quantity: 2, pick_id: crypto.randomUUID() }
    expect(outcome(await scan.call('POST', `/flows/${id}/picks`, pick))).toEqual([200, undefined])
    expect(outcome(await scan.call('POST', `/flows/${id}/complete`))).toEqual([200, undefined])
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 3 })
    expect(outcome(await scan.send('DELETE', '/scan/session/operator'))).toEqual([200, undefined])
    expect(outcome(await scan.call('GET', '/flows/queue'))[0]).toBe(403)
  })

  it('a device sends what the operator before the present one did', async ({ tenant }) => {
    const tea = await stockedProduct(tenant, { 'A-1': 5 })
    const order = await newOrder(tenant, { order_detail: [{ barcode: tea.barcode, quantity: 2 }] })
    const [ada, bob] = [await newOperator(tenant), await newOperator(tenant)]
    const scan = await deviceOf(tenant, ada)
    const { id } = (await scan.call('POST', '/flows', { order_id: order.id })).body.data
    await scan.scanBadge(bob)
    const pick = { barcode: tea.barcode, location_id: 'A-1', quantity: 2, pick_id: crypto.randomUUID() }
    const picked = await scan.call('POST', `/flows/${id}/picks`, pick, { 'x-page-operator': String(ada.id) })
    expect(outcome(picked)).toEqual([200, undefined])
    expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 3 })
  })

  it('codes and badges open nothing in another shard, and a device that ends is out', async ({ tenant, neighbour }) => {
    const [ada, bob] = [await newOperator(tenant), await newOperator(neighbour)]
    const scan = await enrolled(tenant)
    expect(outcome(await scan.scanBadge(bob))).toEqual([401, 'invalid_code'])
    expect(outcome(await (await enrolled(neighbour)).scanBadge(ada))).toEqual([401, 'invalid_code'])
    expect(outcome(await scan.scanBadge(ada))).toEqual([200, undefined])

    const code = await newDeviceCode(tenant)
    expect(outcome(await new ScanClient(tenant.url).enrol(code.replace(/^\d+/, String(neighbour.id))))).toEqual([
      401,
      'invalid_code',
    ])
    expect(outcome(await new ScanClient(tenant.url).enrol(code))).toEqual([200, undefined])
    expect(outcome(await new ScanClient(tenant.url).enrol(code))).toEqual([401, 'invalid_code'])

    const { sessions } = (await tenant.request('GET', '/sessions')).body.data
    expect(sessions).toHaveLength(2)
    for (const { id } of sessions) expect((await tenant.request('DELETE', `/sessions/${id}`)).status).toBe(200)
    expect((await scan.send('GET', '/scan/session')).status).toBe(401)
  })

  it('pages sign in, list and end sessions, and switch to the sandbox', async ({ tenant, neighbour }) => {
    await newProduct(tenant, { name: 'Tea' })
    await newProduct(neighbour, { name: 'Salt' })
    const [page, other] = [await signedIn(tenant.url, tenant.key), await signedIn(tenant.url, tenant.key)]
    expect((await page.call('POST', '/products', { barcode: 'test', name: 'Draft' }, TEST)).status).toBe(200)
    expect(namesOf(await page.call('GET', '/products'))).toEqual(['Tea'])
    expect(namesOf(await page.call('GET', '/products', undefined, TEST))).toEqual(['Draft'])
    const { sessions } = (await page.call('GET', '/sessions')).body.data as { sessions: { id: number; is_current: boolean }[] }
    expect(sessions).toHaveLength(2)
    const ended = sessions.find(({ is_current }) => !is_current)
    expect((await page.call('DELETE', `/sessions/${ended?.id}`)).status).toBe(200)
    expect((await other.call('GET', '/products')).status).toBe(401)
    expect((await page.send('DELETE', '/dashboard/session')).status).toBe(200)
    expect((await page.call('GET', '/products')).status).toBe(401)
  })

  it('open screens learn of changes', async ({ tenant }) => {
    const page = await signedIn(tenant.url, tenant.key)
    const pulse = async (): Promise<string> => (await page.send('GET', '/dashboard/pulse', undefined, LIVE)).text
    const before = await pulse()
    await newProduct(tenant)
    await expect.poll(pulse).not.toBe(before)
  })

  it('pages and the command line export all rows', async ({ tenant, neighbour }) => {
    await newProduct(neighbour, { name: 'Salt' })
    const products = Array.from({ length: 120 }, (_, index) => ({ barcode: `b${index}`, name: `Tea ${index}` }))
    expect((await tenant.request('POST', '/products/bulk', { products })).status).toBe(200)
    const names = new Set(products.map(({ name }) => name))
    const page = await signedIn(tenant.url, tenant.key)
    await page.call('POST', '/products', { barcode: 'test', name: 'Draft' }, TEST)
    const rows = await exportedNames(page)
    expect([rows.length, new Set(rows)]).toEqual([120, names])
    expect(await exportedNames(page, TEST)).toEqual(['Draft'])

    const env = { FULFILLMENT_URL: tenant.url, FULFILLMENT_API_KEY: tenant.key }
    const { exitCode, stdout } = await runCommand(['export', 'products', '--columns', 'name', '--quiet'], env)
    const lines = parse<Record<string, string>>(stdout, { columns: true, bom: true }).map(({ name }) => name)
    expect([exitCode, lines.length, new Set(lines)]).toEqual([0, 120, names])
  })

  it('agents call tools', async ({ tenant, neighbour }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await newProduct(neighbour, { name: 'Salt' })
    const agent = await connectAgent(tenant)
    const call = { sku: tea.sku, location_id: 'A', adjustment_quantity: 2 }
    await agent.call('stock_adjust', call)
    expect(await stockOf(tenant, tea)).toEqual({ A: 7 })
    const { products } = (await agent.call('products_list')) as { products?: { id: number }[] }
    expect(products?.map(({ id }) => id)).toEqual([tea.id])
    expect(await agent.failure('products_get', { id: 424_242 })).toMatchObject({ code: 'not_found' })
    await agent.close()
  })

  it('repeated calls return the first response, and another tenant can use the same key', async ({ tenant, neighbour }) => {
    const repeat = (one: TestTenant, name: string) =>
      one.request('POST', '/products', { barcode: 'once', name }, { headers: { 'idempotency-key': 'same' } })
    for (const [one, name] of [
      [tenant, 'Tea'],
      [neighbour, 'Salt'],
    ] as const) {
      const calls = await Promise.all([1, 2, 3].map(() => repeat(one, name)))
      // A call that comes while the first is in progress may be told to come again.
      expect(calls.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
      const again = await repeat(one, name)
      expect([again.status, again.headers.get('idempotency-replayed'), again.body.data.name]).toEqual([200, 'true', name])
      expect((await repeat(one, 'other')).body.error.code).toBe('idempotency_conflict')
      expect((await one.request('GET', '/products')).body.data.pagination.total).toBe(1)
    }
  })

  it('test keys use the sandbox, which is in the same shard', async ({ tenant, second }) => {
    await newProduct(tenant, { name: 'Tea' })
    const { key } = (await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })).body.data
    const inTest = { key }
    const draft = { barcode: 'draft', name: 'Draft' }
    expect((await tenant.request('POST', '/products', draft, inTest)).status).toBe(200)
    expect(namesOf(await tenant.request('GET', '/products', undefined, inTest))).toEqual(['Draft'])
    expect(namesOf(await tenant.request('GET', '/products'))).toEqual(['Tea'])
    const { rows } = await second.db.dedicatedPool.query(
      `select p.name from tenants t join products p on p.tenant_id = t.id where t.sandbox_of = $1`,
      [tenant.id],
    )
    expect(rows).toEqual([{ name: 'Draft' }])
  })
})
