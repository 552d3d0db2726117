import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { type Pulse, TenantPulse } from '@fulfillment/server/domain/events/index.ts'
import { it } from '../../support/it.ts'
import { startedFlow, stockedProduct } from '../../support/picking.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { outcome, type PageClient, signedIn } from '../support/page-client.ts'

type Tokens = Pulse['tokens']

const pulse = (client: PageClient, headers: Record<string, string> = {}) =>
  client.send('GET', '/dashboard/pulse', undefined, { 'x-page-mode': 'live', 'x-page-background': '1', ...headers })

const tokensOf = async (client: PageClient): Promise<Tokens> => (await pulse(client)).body.data

/** The kinds whose tokens a change made other ones, once the change is in the pulse. */
async function changedBy(client: PageClient, change: () => Promise<unknown>): Promise<string[]> {
  const before = await tokensOf(client)
  await change()
  let after = before
  await expect
    .poll(async () => {
      after = await tokensOf(client)
      return JSON.stringify(after)
    })
    .not.toBe(JSON.stringify(before))
  return Object.keys(after).filter((kind) => after[kind as keyof Tokens] !== before[kind as keyof Tokens])
}

const newOrder = (tenant: TestTenant, barcode: string) =>
  tenant.request('POST', '/orders', {
    order_tenant_id: `order ${Math.random()}`,
    assembly_date: '2030-01-15',
    order_detail: [{ barcode, quantity: 1 }],
  })

describe('GET /dashboard/pulse', () => {
  it('tells by kind that something has changed', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const tea = await stockedProduct(tenant, { A: 10 })
    expect(await changedBy(client, () => newOrder(tenant, tea.barcode))).toEqual(['orders'])
    expect(await changedBy(client, () => tenant.request('PUT', `/products/${tea.id}`, { name: 'Tea' }))).toEqual(['products'])
    const adjustment = { product_id: tea.id, location_id: 'A', adjustment_quantity: 1 }
    expect(await changedBy(client, () => tenant.request('POST', '/stock/adjustment', adjustment))).toEqual(['stock'])
    const { flow } = await startedFlow(tenant, [[tea, 1]])
    await delay(1_500)
    const assign = () => tenant.request('POST', `/flows/${flow}/assign`, { operator_email: 'bob@example.com' })
    expect(await changedBy(client, assign)).toEqual(['flows'])
    expect(await changedBy(client, () => tenant.request('POST', `/flows/${flow}/cancel`, {}))).toEqual(['orders', 'flows'])
    const packed = await newOrder(tenant, tea.barcode)
    await tenant.request('PUT', `/orders/${packed.body.data.orders[0].id}`, { state_id: 5 })
    await delay(1_500)
    const shipment = { order_id: packed.body.data.orders[0].id, packages: [{ lines: [{ product_id: tea.id, quantity: 1 }] }] }
    expect(await changedBy(client, () => tenant.request('POST', '/shipments', shipment))).toEqual(['orders'])
  })

  it('is 304 while nothing has changed, and does not keep a session alive', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const first = await pulse(client)
    expect([first.status, first.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(Object.keys(first.body.data)).toEqual(['orders', 'products', 'stock', 'flows'])
    expect(Number(first.headers['x-page-position'])).toBeGreaterThan(0)
    const tag = String(first.headers.etag)
    await service.db.dedicatedPool.query(`update sessions set last_seen_at = now() - interval '2 hours' where tenant_id = $1`, [
      tenant.id,
    ])
    await delay(1_000)
    const again = await pulse(client, { 'if-none-match': tag })
    expect([again.status, again.text]).toEqual([304, ''])
    await tenant.request('POST', '/products', { name: 'Tea', barcode: 'of the pulse' })
    await expect.poll(async () => (await pulse(client, { 'if-none-match': tag })).status).toBe(200)
    const { rows } = await service.db.dedicatedPool.query(
      `select last_seen_at < now() - interval '1 hour' as is_idle from sessions where tenant_id = $1`,
      [tenant.id],
    )
    expect(rows).toEqual([{ is_idle: true }])
  })

  it('is of the mode of the page, which must be the session’s', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const readOnly = (await tenant.request('POST', '/api-keys', { name: 'read', preset: 'read_only' })).body.data.key
    const limited = await signedIn(service.url, readOnly)
    expect(outcome(await pulse(limited, { 'x-page-mode': 'test' }))).toEqual([403, 'insufficient_scope'])
    expect((await pulse(client, { 'x-page-mode': 'test' })).status).toBe(200)
    await tenant.request('POST', '/products', { name: 'Tea', barcode: 'live alone' })
    const test = (await pulse(client, { 'x-page-mode': 'test' })).body.data
    await expect.poll(async () => (await tokensOf(client)).products).not.toBe(test.products)
    expect((await pulse(client, { 'x-page-mode': 'test' })).body.data).toEqual(test)
  })

  it('is the same in every process', async ({ service, tenant, startService }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const client = await signedIn(service.url, tenant.key)
    await stockedProduct(tenant, { A: 10 })
    const elsewhere = await signedIn(other.url, tenant.key)
    await expect.poll(async () => [await tokensOf(client)]).toEqual([await tokensOf(elsewhere)])
  })

  it('reads the database once a second, however many pages ask', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const before = await readsOf(service)
    const startedAt = performance.now()
    let asked = 0
    while (performance.now() - startedAt < 3_500 || asked <= 200) {
      await Promise.all(Array.from({ length: 50 }, () => pulse(client)))
      asked += 50
      await delay(50)
    }
    const seconds = (performance.now() - startedAt) / 1_000
    const reads = (await readsOf(service)) - before
    expect(reads).toBeGreaterThan(1)
    expect(reads).toBeLessThanOrEqual(Math.ceil(seconds) + 1)
  })
})

/** How often pulses were read: only they read this table. The statistics of a connection are written when it has been idle for a while. */
async function readsOf({ db }: TestService): Promise<number> {
  await delay(2_500)
  const { rows } = await db.dedicatedPool.query(
    `select (seq_scan + coalesce(idx_scan, 0))::int as reads from pg_stat_user_tables where relname = 'flow_assignments'`,
  )
  return rows[0].reads
}

/** The pulse of a tenant, and a second connection for a transaction that stays open. */
async function watch({ db, databaseUrl }: TestService, tenant: TestTenant) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const watcher = new TenantPulse(db.forTenant(tenant.id), tenant.id)
  return { client, tokens: async () => (await watcher.read()).tokens }
}

const recordEvent = (client: pg.Client, tenant: TestTenant, topic: string) =>
  client.query(
    `insert into events (tenant_id, id, topic, body)
     select $1, 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0'), $2, '{}' where pg_current_xact_id() is not null`,
    [tenant.id, topic],
  )

describe('an event that is committed after later ones', () => {
  it('changes the pulse too, however many pulses were read meanwhile', async ({ service, tenant }) => {
    const { client, tokens } = await watch(service, tenant)
    await tokens()
    await client.query('begin')
    await recordEvent(client, tenant, 'order/created')
    const tea = await stockedProduct(tenant, { A: 10 })
    await newOrder(tenant, tea.barcode)
    const before = await tokens()
    for (let reads = 0; reads < 5; reads++) expect(await tokens()).toEqual(before)
    await client.query('commit')
    const after = await tokens()
    expect(after).toEqual({ ...before, orders: after.orders })
    expect(after.orders).not.toBe(before.orders)
    for (let reads = 0; reads < 5; reads++) expect(await tokens()).toEqual(after)
    await client.end()
  })

  it('changes it also when it was recorded before the first pulse', async ({ service, tenant }) => {
    const { client, tokens } = await watch(service, tenant)
    await client.query('begin')
    await recordEvent(client, tenant, 'product/updated')
    await stockedProduct(tenant, { A: 10 })
    const before = await tokens()
    await client.query('commit')
    expect((await tokens()).products).not.toBe(before.products)
    await client.end()
  })

  it('of more events than are looked at, any may be new', async ({ service, tenant }) => {
    const { client, tokens } = await watch(service, tenant)
    const holding = new pg.Client({ connectionString: service.databaseUrl })
    await holding.connect()
    await tokens()
    await holding.query('begin; select pg_current_xact_id()')
    await client.query(
      `insert into events (tenant_id, id, topic, body)
       select $1, 'evt_1' || lpad(to_hex(nextval('event_sequence')), 23, '0'), 'order/updated', '{}' from generate_series(1, 5100)`,
      [tenant.id],
    )
    const before = await tokens()
    expect((await tokens()).orders).not.toBe(before.orders)
    await holding.query('rollback')
    // Other transactions of the service may still be running.
    await expect.poll(async () => isDeepStrictEqual(await tokens(), await tokens())).toBe(true)
    await Promise.all([client.end(), holding.end()])
  })
})
