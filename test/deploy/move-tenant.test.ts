import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send, startService, type TestService, type TestTenant } from '../support/service.ts'

const script = fileURLToPath(new URL('../../deploy/move-tenant.sh', import.meta.url))
const hasPsql = spawnSync('psql', ['--version']).status === 0

// The script is for operators, who have psql; the embedded Postgres comes without it.
describe.skipIf(!hasPsql)('a tenant that is moved to another database', () => {
  let source: TestService
  let target: TestService
  let tenant: TestTenant
  beforeAll(async () => {
    source = await startService()
    target = await startService()
    await target.db.pool.query('alter sequence tenants_id_seq restart with 1000000')
    tenant = await source.newTenant()
    await tenant.request('POST', '/products', { name: 'Tea', barcode: 'tea' })
    await tenant.request('POST', '/stock/adjustment', { product_id: 1, location_id: 'A-01', adjustment_quantity: 5 })
    await tenant.request('POST', '/webhooks', { name: 'shop', url: 'http://127.0.0.1:1024/', events: ['order/created'] })
    const order_detail = [{ barcode: 'tea', quantity: 2 }]
    for (const order_tenant_id of ['A', 'B'])
      await tenant.request('POST', '/orders', { order_tenant_id, assembly_date: '2026-12-01', order_detail })
  })
  afterAll(async () => {
    await source.stop()
    await target.stop()
  })

  const move = (env: Record<string, string> = {}) =>
    promisify(execFile)(script, [String(tenant.id)], {
      env: { PATH: process.env.PATH, SOURCE_URL: source.databaseUrl, TARGET_URL: target.databaseUrl, GRACE_SECONDS: '2', ...env },
    })
  const ask = async (service: TestService, method: string, path: string, body?: unknown) =>
    send(`${service.url}/api/v1${path}`, method, body, { key: tenant.key })

  it('stays where it was, with its keys, when it can not be copied', async () => {
    await target.db.pool.query('alter table order_lines add constraint none check (false)')
    await expect(move()).rejects.toThrow('violates check constraint')
    await target.db.pool.query('alter table order_lines drop constraint none')
    expect((await target.db.pool.query('select from tenants where id = $1', [tenant.id])).rowCount).toBe(0)
    await expect.poll(async () => (await ask(source, 'GET', '/orders')).status).toBe(200)
  })

  it('is there with its key and all it had, and goes on', async () => {
    // The source is far ahead of the target, and has an event of before ids had their present form.
    await source.db.pool.query(`select setval('event_sequence', 1000000)`)
    const old = 'evt_000000000001000000000001'
    const client = await source.db.pool.connect()
    await client.query(`set fulfillment.keep_event_ids = 'on'`)
    await client.query(
      `insert into events (tenant_id, id, topic, body, created_at) select tenant_id, $2, topic, replace(body, id, $2), created_at
       from events where tenant_id = $1 order by id limit 1`,
      [tenant.id, old],
    )
    await client.query('reset fulfillment.keep_event_ids')
    client.release()
    const last = { product_id: 1, location_id: 'A-01', adjustment_quantity: 1 }
    await ask(source, 'POST', '/stock/adjustment', last)
    let feed: { id: string }[] = []
    await expect
      .poll(async () => (feed = (await ask(source, 'GET', '/events')).body.data.events).at(-1)?.id)
      .toMatch(/^evt_1.*f424\d$/)
    expect(feed[0]?.id).toBe(old)
    expect((await move()).stdout).toContain(`Moved tenant ${tenant.id}`)
    expect((await ask(source, 'GET', '/orders')).status).toBe(401)
    expect((await ask(target, 'GET', '/orders')).body.data.pagination.total).toBe(2)
    expect((await ask(target, 'GET', '/stock/reconcile')).body.data).toMatchObject({ is_balanced: true, movements_checked: 2 })
    expect((await ask(target, 'GET', '/webhooks')).body.data.webhooks).toHaveLength(1)
    const order = { order_tenant_id: 'C', assembly_date: '2026-12-01', order_detail: [{ barcode: 'tea', quantity: 1 }] }
    expect((await ask(target, 'POST', '/orders', order)).body.data).toMatchObject({ created_count: 1, orders: [{ id: 3 }] })
    // The last event that a reader saw in the old database is a place in the feed of the new one.
    const topicsAfter = async (): Promise<string[]> =>
      (await ask(target, 'GET', `/events?after=${feed.at(-1)?.id}`)).body.data.events.map(({ event }: { event: string }) => event)
    // Transactions of other tests on the same cluster hold the feed back while they run.
    await expect.poll(topicsAfter).toEqual(['order/created'])
    expect((await ask(target, 'GET', '/events')).body.data.events.slice(0, feed.length)).toEqual(feed)
  })

  it('is not moved twice', async () => {
    await expect(move()).rejects.toThrow(`The target has a tenant ${tenant.id} already`)
  })
})
