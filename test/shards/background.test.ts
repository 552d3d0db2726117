import { describe, expect } from 'vitest'
import { verifyWebhookSync } from '@fulfillment/sdk/webhooks/node'
import type { Database } from '@fulfillment/server/database/database.ts'
import { stockedProduct } from '../support/picking.ts'
import { respondWith } from '../support/receiver.ts'
import { availabilityOf, expireHold, reserve } from '../support/reservations.ts'
import { newProduct } from '../support/stock.ts'
import { it } from './support/two-shards.ts'

const DAY_MS = 86_400_000
const dayOf = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10)
/** What a process counts is written within ten seconds. */
const WRITTEN = { timeout: 60_000, interval: 500 }

const query = async (db: Database, sql: string, values: unknown[] = []) => (await db.dedicatedPool.query(sql, values)).rows

/** A partition of a day long ago, as a server made it then. */
async function createPartition(db: Database, table: string, daysAgo: number): Promise<string> {
  const name = `${table}_${dayOf(daysAgo).replaceAll('-', '')}`
  const [from, to] = [dayOf(daysAgo), dayOf(daysAgo - 1)].map((day) => `'${day} 00:00:00+00'`)
  await query(db, `create table ${name} partition of ${table} for values from (${from}) to (${to})`)
  return name
}

describe('for a tenant of a further shard', () => {
  it('webhooks are delivered with the secret of their subscription, and the feed has the same events', async ({
    tenant,
    neighbour,
    receiver,
    startReceiver,
  }) => {
    const foreign = await startReceiver()
    const subscribe = async (one: typeof tenant, url: string): Promise<{ id: string; secret: string }> =>
      (await one.request('POST', '/webhooks', { name: 'shop', url, events: ['*'] })).body.data
    const { id, secret } = await subscribe(tenant, receiver.url)
    const { secret: other } = await subscribe(neighbour, foreign.url)
    await newProduct(tenant, { name: 'Tea' })
    await newProduct(neighbour, { name: 'Salt' })
    const [[own], [theirs]] = [await receiver.count(1), await foreign.count(1)]
    const signature = (one: typeof own) => String(one?.headers['x-webhook-signature'])
    expect(verifyWebhookSync(own?.body ?? '', signature(own), secret)).toMatchObject({ data: { name: 'Tea' } })
    expect(verifyWebhookSync(theirs?.body ?? '', signature(theirs), other)).toMatchObject({ data: { name: 'Salt' } })
    expect(() => verifyWebhookSync(own?.body ?? '', signature(own), other)).toThrow(/signature/i)

    const { events } = (await tenant.request('GET', '/events')).body.data
    expect(events.map((one: { id: string; event: string }) => [one.id, one.event])).toEqual([[own?.event.id, 'product/created']])
    const deliveries = async () => (await tenant.request('GET', `/webhooks/${id}/deliveries`)).body.data.deliveries
    await expect.poll(async () => (await deliveries()).map(({ state }: { state: string }) => state)).toEqual(['succeeded'])

    const { secret: next } = (await tenant.request('POST', `/webhooks/${id}/rotate-secret`)).body.data
    await newProduct(tenant, { name: 'Coffee' })
    const [, later] = await receiver.count(2)
    expect(verifyWebhookSync(later?.body ?? '', signature(later), next)).toMatchObject({ data: { name: 'Coffee' } })
  })

  it('holds expire and give back their stock', async ({ tenant, second }) => {
    await reserve(tenant, 'strict')
    const tea = await stockedProduct(tenant, { A: 5 })
    const hold = { reference: 'cart', lines: [{ sku: tea.sku, quantity: 2 }] }
    const { id } = (await tenant.request('POST', '/holds', hold)).body.data
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 2, available: 3 })
    await expireHold(second.db, id)
    // Settled by the background work: nobody reads it meanwhile.
    const kept = 'select sum(reserved)::int as kept from hold_lines where tenant_id = $1'
    await expect.poll(() => query(second.db, kept, [tenant.id])).toEqual([{ kept: 0 }])
    expect(await availabilityOf(tenant, tea.id)).toMatchObject({ held: 0, available: 5 })
  })

  it('the last use of keys is recorded, and the usage by key and operation', async ({ tenant, neighbour }) => {
    const [key, unused] = [await tenant.createKey({ name: 'used' }), await tenant.createKey({ name: 'unused' })]
    expect(unused).not.toBe(key)
    await tenant.request('GET', '/orders', undefined, { key })
    await neighbour.request('GET', '/orders')
    await expect
      .poll(async () => {
        const { api_keys } = (await tenant.request('GET', '/api-keys')).body.data
        return (api_keys as { name: string; last_used_at: string | null }[])
          .filter(({ name }) => name !== 'test key')
          .map(({ name, last_used_at }) => [name, last_used_at !== null && Date.now() - Date.parse(last_used_at) < DAY_MS])
          .toSorted()
      }, WRITTEN)
      .toEqual([
        ['unused', false],
        ['used', true],
      ])
    const requests = async (one: typeof tenant) => {
      const { hours } = (await one.request('GET', `/reports/usage?since=${dayOf(1)}T00:00:00Z`)).body.data
      const lists = (hours as { operation: string; requests: number }[]).filter(({ operation }) => operation === 'orders.list')
      return lists.map((hour) => hour.requests)
    }
    for (const one of [tenant, neighbour]) await expect.poll(() => requests(one), WRITTEN).toEqual([1])
  })

  it('the audit log has its changes, refused ones with their error', async ({ tenant, neighbour }) => {
    await newProduct(tenant, { barcode: 'tea', name: 'Tea' })
    await newProduct(neighbour, { barcode: 'salt', name: 'Salt' })
    const again = await tenant.request('POST', '/products', { barcode: 'tea', name: 'Tea' })
    expect(again.body.error.code).toBe('already_exists')
    const entries = async (one: typeof tenant) =>
      (await one.request('GET', '/audit-log')).body.data.entries.map(
        ({ operation, input, error }: { operation: string; input: { name: string }; error: string | null }) => [
          operation,
          input.name,
          error,
        ],
      )
    await expect
      .poll(() => entries(tenant))
      .toEqual([
        ['products.create', 'Tea', 'already_exists'],
        ['products.create', 'Tea', null],
      ])
    expect(await entries(neighbour)).toEqual([['products.create', 'Salt', null]])
  })

  it('counts are folded, and reports and reconciliation are exact', async ({ tenant, second }) => {
    const tea = await stockedProduct(tenant, { A: 5 })
    await tenant.request('POST', '/stock/adjustment', { sku: tea.sku, location_id: 'A', adjustment_quantity: 2 })
    const changes = `select count(*)::int as left from product_count_changes where tenant_id = $1`
    await expect.poll(() => query(second.db, changes, [tenant.id])).toEqual([{ left: 0 }])
    expect((await tenant.request('GET', '/products')).body.data.pagination.total).toBe(1)
    expect((await tenant.request('GET', '/stock/reconcile')).body.data).toMatchObject({ is_balanced: true })
  })
})

describe('a further shard', () => {
  it('gets its partitions, and loses what is older than it is kept', async ({ tenant, second, env, startProcess }) => {
    const tomorrow = dayOf(-1).replaceAll('-', '')
    const partitions = async (): Promise<string[]> =>
      (await query(second.db, `select inhrelid::regclass::text as name from pg_inherits`)).map(({ name }) => name)
    for (const table of ['audit_log', 'events', 'finished_deliveries'])
      expect(await partitions()).toContain(`${table}_${tomorrow}`)
    await newProduct(tenant)
    const inserted = await query(second.db, `select tableoid::regclass::text as name from events where tenant_id = $1`, [
      tenant.id,
    ])
    expect(inserted.map(({ name }) => name)).toEqual([`events_${dayOf(0).replaceAll('-', '')}`])

    const old = new Set([await createPartition(second.db, 'events', 40), await createPartition(second.db, 'audit_log', 400)])
    await query(
      second.db,
      `insert into usage_hours (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors)
       values ($1, now() - interval '91 days', 1, 'orders.list', 1, 0, 0, 0)`,
      [tenant.id],
    )
    // A process runs all maintenance a second after its start, then every hour.
    await startProcess(env)
    await expect.poll(async () => (await partitions()).filter((name) => old.has(name))).toEqual([])
    const hours = `select count(*)::int as left from usage_hours where tenant_id = $1 and at < now() - interval '90 days'`
    await expect.poll(() => query(second.db, hours, [tenant.id])).toEqual([{ left: 0 }])
  })

  it('has metrics of its own', async ({ service, tenant, startReceiver }) => {
    const failing = await startReceiver(respondWith(500))
    const body = { name: 'shop', url: failing.url, events: ['product/created'] }
    expect((await tenant.request('POST', '/webhooks', body)).status).toBe(200)
    await newProduct(tenant)
    await failing.count(1)
    const metrics = async (): Promise<string> => await (await fetch(`${service.url}/metrics`)).text()
    const valueOf = (text: string, series: string, shard: number): string | undefined =>
      new RegExp(`^fulfillment_${series}\\{shard="${shard}"\\} (.+)$`, 'm').exec(text)?.[1]
    await expect
      .poll(async () => {
        const text = await metrics()
        return [1, 2].map((shard) => valueOf(text, 'webhook_failing_lanes', shard))
      }, WRITTEN)
      .toEqual(['0', '1'])
    const text = await metrics()
    for (const series of ['database_up', 'database_pool_connections', 'outbox_events'])
      for (const shard of [1, 2]) expect(valueOf(text, series, shard)).toMatch(/^\d+$/)
  })
})
