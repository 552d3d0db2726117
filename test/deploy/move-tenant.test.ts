import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { send, startService, type TestService } from '../support/service.ts'

const script = fileURLToPath(new URL('../../deploy/move-tenant.sh', import.meta.url))
const hasPsql = spawnSync('psql', ['--version']).status === 0

/** `it` with two databases, each with its server. The first one has a tenant with some data. */
const it = base
  .extend('target', { scope: 'file' }, async ({}, { onCleanup }) => {
    const target = await startService()
    onCleanup(() => target.stop())
    await target.db.dedicatedPool.query('alter sequence tenants_id_seq restart with 1000000')
    return target
  })
  .extend('moved', { scope: 'file' }, async ({ service }) => {
    const moved = await service.newTenant()
    await moved.request('POST', '/products', { name: 'Tea', barcode: 'tea' })
    await moved.request('POST', '/stock/adjustment', { product_id: 1, location_id: 'A-01', adjustment_quantity: 5 })
    await moved.request('POST', '/webhooks', { name: 'shop', url: 'http://127.0.0.1:1024/', events: ['order/created'] })
    const order_detail = [{ barcode: 'tea', quantity: 2 }]
    for (const order_tenant_id of ['A', 'B'])
      await moved.request('POST', '/orders', { order_tenant_id, assembly_date: '2026-12-01', order_detail })
    return moved
  })
  .extend('move', async ({ service, target, moved }) => () => {
    const env = { SOURCE_URL: service.databaseUrl, TARGET_URL: target.databaseUrl, GRACE_SECONDS: '2' }
    return promisify(execFile)(script, [String(moved.id)], { env: { PATH: process.env.PATH, ...env } })
  })
  .extend(
    'ask',
    async ({ moved }) =>
      (service: TestService, method: string, path: string, body?: unknown) =>
        send(`${service.url}/api/v1${path}`, method, body, { key: moved.key }),
  )

// The script needs psql, which operators have and the embedded Postgres lacks.
describe.skipIf(!hasPsql)('moving a tenant to another database', () => {
  it('leaves the tenant and its keys unchanged if it cannot be copied', async ({ service: source, target, moved, move, ask }) => {
    await target.db.dedicatedPool.query('alter table order_lines add constraint none check (false)')
    await expect(move()).rejects.toThrow('violates check constraint')
    await target.db.dedicatedPool.query('alter table order_lines drop constraint none')
    expect((await target.db.dedicatedPool.query('select from tenants where id = $1', [moved.id])).rowCount).toBe(0)
    await expect.poll(async () => (await ask(source, 'GET', '/orders')).status).toBe(200)
  })

  it('moves the tenant with its key and all its data, and it keeps working', async ({
    service: source,
    target,
    moved,
    move,
    ask,
  }) => {
    // The source's event sequence is far ahead of the target's. The source also has an event with an id in the old format.
    await source.db.dedicatedPool.query(`select setval('event_sequence', 1000000)`)
    const old = 'evt_000000000001000000000001'
    const client = await source.db.dedicatedPool.connect()
    await client.query(`set fulfillment.keep_event_ids = 'on'`)
    await client.query(
      `insert into events (tenant_id, id, topic, body, created_at) select tenant_id, $2, topic, replace(body, id, $2), created_at
       from events where tenant_id = $1 order by id limit 1`,
      [moved.id, old],
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
    expect((await move()).stdout).toContain(`Moved tenant ${moved.id}`)
    expect((await ask(source, 'GET', '/orders')).status).toBe(401)
    expect((await ask(target, 'GET', '/orders')).body.data.pagination.total).toBe(2)
    expect((await ask(target, 'GET', '/stock/reconcile')).body.data).toMatchObject({ is_balanced: true, movements_checked: 2 })
    expect((await ask(target, 'GET', '/webhooks')).body.data.webhooks).toHaveLength(1)
    const order = { order_tenant_id: 'C', assembly_date: '2026-12-01', order_detail: [{ barcode: 'tea', quantity: 1 }] }
    expect((await ask(target, 'POST', '/orders', order)).body.data).toMatchObject({ created_count: 1, orders: [{ id: 3 }] })
    // The last event read from the old database is a valid cursor in the new one.
    const topicsAfter = async (): Promise<string[]> =>
      (await ask(target, 'GET', `/events?after=${feed.at(-1)?.id}`)).body.data.events.map(({ event }: { event: string }) => event)
    // Open transactions of other tests on the same cluster hold the feed back.
    await expect.poll(topicsAfter).toEqual(['order/created'])
    expect((await ask(target, 'GET', '/events')).body.data.events.slice(0, feed.length)).toEqual(feed)
  })

  it('refuses to move the same tenant twice', async ({ moved, move }) => {
    await expect(move()).rejects.toThrow(`The target has a tenant ${moved.id} already`)
  })
})
