import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { databaseErrorToServiceError } from '@fulfillment/server/procedures/failure.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import {
  closeSource,
  fencedTables,
  raiseFence,
  removeFence,
  removeTriggers,
  reopenSource,
  takeFence,
} from '@fulfillment/server/shards/move/fence.ts'
import { removeRows } from '@fulfillment/server/shards/move/remove-rows.ts'
import { connectTo, isBusy, type Move, moveOf, type Side, MoveTakenOverError } from '@fulfillment/server/shards/move/side.ts'
import { tenantTables } from '@fulfillment/server/shards/move/tables.ts'
import { readInShard } from '@fulfillment/server/shards/read-in-shard.ts'
import { Shards, TENANTS_OF_SHARD } from '@fulfillment/server/shards/shards.ts'
import { findCaller } from '@fulfillment/server/domain/api-keys/index.ts'
import { sandboxOf } from '@fulfillment/server/domain/tenants/index.ts'
import { startCommand } from '../command-line/run-command.ts'
import { newProduct } from '../support/stock.ts'
import { newTenant } from '../support/service.ts'
import { it as base } from './support/two-shards.ts'

/** `it` with the fence of a move of `tenant` out of the second shard. It is open. */
const it = base.extend('move', async ({ second, tenant }, { onCleanup }): Promise<Move> => {
  const client = await connectTo(second.db)
  const side: Side = { id: 2, db: second.db, client }
  const { id: sandbox_id } = await sandboxOf(second.db, tenant.id)
  const move = moveOf({ id: tenant.id, sandbox_id, moves: 1, epoch: 5 }, side, side)
  await takeFence(move, side, false)
  await raiseFence(move, side, await tenantTables(side))
  onCleanup(async () => {
    await removeTriggers(move, side)
    await removeFence(move, side)
    await client.end()
  })
  return move
})

/** Closing gives up when it takes long, as it may on a busy machine. */
async function untilDecided(close: () => Promise<void>): Promise<void> {
  for (;;) {
    const error = await close().then(
      () => undefined,
      (failure: unknown) => failure,
    )
    if (error === undefined) return
    if (!isBusy(error) && (error as { code?: string }).code !== '57014') throw error
  }
}

describe('the fence of a tenant that is being moved', () => {
  it('is on every table with rows of tenants', async ({ move }) => {
    const tables = await tenantTables(move.source)
    expect(tables.length).toBeGreaterThan(70)
    expect([...(await fencedTables(move, move.source))].toSorted()).toEqual(tables.map(({ name }) => name).toSorted())
  })

  it('lets the tenant write while it is open, and refuses its writes, and its key, when it is closed', async ({
    move,
    tenant,
    second,
    service,
  }) => {
    const { id } = await newProduct(tenant, { name: 'Tea' })
    // A copy of the tenant's key that a process keeps for a while: the database decides, not the key.
    const write = () => tenant.request('PUT', `/products/${id}`, { name: 'Green tea' })
    expect((await write()).status).toBe(200)
    await closeSource(move, 1)
    const refused = await write()
    expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'service_unavailable',
      '1',
    ])
    const keyed = { headers: { 'idempotency-key': 'another' } }
    const refusedToo = await tenant.request('POST', '/products', { barcode: 'keyed', name: 'Keyed' }, keyed)
    expect([refusedToo.status, refusedToo.body.error.code]).toEqual([503, 'service_unavailable'])
    for (const sql of [
      `update products set name = 'Lost' where tenant_id = ${tenant.id}`,
      `insert into operators (tenant_id, name, email) values (${tenant.id}, 'Ada', 'ada@example.com')`,
      `delete from finished_deliveries where tenant_id = ${tenant.id}`,
    ]) {
      const outcome = second.db.dedicatedPool.query(sql)
      if (sql.startsWith('delete')) await outcome
      else await expect(outcome).rejects.toMatchObject({ code: '55F01' })
    }
    const other = await newTenant(service.url, second.db)
    await newProduct(other, { name: 'Salt' })
    await reopenSource(move)
    expect((await write()).status).toBe(200)
  })

  it('refuses bulk calls whole, and an import goes on when it is open again', async ({ move, tenant, second, service }) => {
    const { id } = await newProduct(tenant, { name: 'Tea' })
    await closeSource(move, 1)
    const products = Array.from({ length: 50 }, (_, n) => ({ barcode: `bulk-${n}`, name: `Product ${n}` }))
    const updates = [{ product_id: id, location_id: 'BULK', quantity: 5 }]
    for (const [path, body] of [
      ['/products/bulk', { products }],
      ['/stock/bulk', { updates }],
    ] as const) {
      const { status, headers } = await tenant.request('POST', path, body)
      expect([path, status, headers.get('retry-after')]).toEqual([path, 503, '1'])
    }
    const present = async (): Promise<string[]> => {
      const text = `select barcode as text from products where tenant_id = $1 union all select id from locations where tenant_id = $1`
      return (await second.db.dedicatedPool.query(text, [tenant.id])).rows.map((row) => row.text)
    }
    const before = await present()
    expect(before.filter((text) => /bulk/i.test(text))).toEqual([])

    const env = { FULFILLMENT_URL: service.url, FULFILLMENT_API_KEY: tenant.key }
    const importing = startCommand(['import', 'products', '-', '--json'], env)
    importing.child.stdin?.end(`barcode,name\n${products.map(({ barcode, name }) => `${barcode},${name}`).join('\n')}\n`)
    await delay(3_000)
    expect(await present()).toEqual(before)
    await reopenSource(move)
    const { exitCode, stdout } = await importing.ended
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ failed: 0 })])
    expect((await present()).length).toBe(before.length + products.length)
  })

  it('leaves out the rows of the tenant when a task writes those of many', async ({ move, tenant, second, service }) => {
    const other = await newTenant(service.url, second.db)
    const pending = async (id: number) =>
      (await second.db.dedicatedPool.query('select count(*)::int as n from product_count_changes where tenant_id = $1', [id]))
        .rows[0].n
    await closeSource(move, 1)
    // As the copy brings them.
    await move.source.client.query(
      `begin; set local session_replication_role = replica;
       insert into product_count_changes (tenant_id, is_active, change) values (${tenant.id}, true, 1); commit`,
    )
    await newProduct(other, { name: 'Salt' })
    await expect.poll(() => foldAllCounts(second.db).then(() => pending(other.id))).toBe(0)
    expect(await pending(tenant.id)).toBe(1)
  })

  it('leaves out the tenant when reservation policies are switched: others do not wait for it', async ({
    move,
    tenant,
    second,
    service,
  }) => {
    const other = await newTenant(service.url, second.db)
    await closeSource(move, 1)
    // As the copy brings it when it began while the policy was being changed.
    await move.source.client.query(
      `begin; set local session_replication_role = replica;
       insert into tenant_settings (tenant_id, reservation_policy, reservation_phase, switching_until, updated_at)
       values (${tenant.id}, 'track', 'collecting', '-infinity', now() - interval '1 minute'); commit`,
    )
    await other.request('PUT', '/settings', { reservation_policy: 'track' })
    const stateOf = async () => (await other.request('GET', '/settings')).body.data.reservation_state
    await expect.poll(stateOf, { timeout: 20_000 }).toBe('ready')
    const { rows } = await second.db.dedicatedPool.query('select reservation_phase from tenant_settings where tenant_id = $1', [
      tenant.id,
    ])
    expect(rows).toEqual([{ reservation_phase: 'collecting' }])
  })

  it('hides a key only while it is closed: one that was read just before it opened again is read once more', async ({
    move,
    tenant,
    service,
    second,
  }) => {
    const directory = openDatabase(service.databaseUrl, { exclusiveConnections: 2, pipelinedConnections: 1 })
    try {
      const shards = new Shards(directory)
      shards.put({ id: 2, firstTenantId: tenant.id - (tenant.id % TENANTS_OF_SHARD), db: second.db })
      await closeSource(move, 1)
      let reads = 0
      const found = await readInShard(shards, tenant.id, async (db) => {
        const key = await findCaller(db, tenant.key)
        if (reads++ === 0) await reopenSource(move)
        return key
      })
      expect(found?.caller.tenantId).toBe(tenant.id)
      expect(await readInShard(shards, tenant.id, (db) => findCaller(db, `${tenant.key}x`))).toBeUndefined()
    } finally {
      await directory.close()
    }
  })

  it('is closed only when the transactions that have written have ended', async ({ move, tenant, second }) => {
    const { id } = await newProduct(tenant, { name: 'Tea' })
    const writer = await second.db.dedicatedPool.connect()
    try {
      await writer.query('begin')
      await writer.query('update products set name = $3 where tenant_id = $1 and id = $2', [tenant.id, id, 'Green tea'])
      expect(isBusy(await closeSource(move, 1).catch((error: unknown) => error))).toBe(true)
      await writer.query('commit')
      await untilDecided(() => closeSource(move, 1))
    } finally {
      writer.release(true)
    }
  })

  it('obeys the last command alone', async ({ move, tenant, second }) => {
    await newProduct(tenant, { name: 'Tea' })
    await takeFence({ ...move, epoch: 6 }, move.source, false)
    const tables = await tenantTables(move.source)
    const close = () => untilDecided(() => closeSource(move, 1))
    for (const act of [close, () => reopenSource(move), () => removeRows(move, move.source, tables)])
      await expect(act()).rejects.toThrow(MoveTakenOverError)
    // An earlier number does not take over.
    await takeFence(move, move.source, false)
    await expect(close()).rejects.toThrow(MoveTakenOverError)
    const { rowCount } = await second.db.dedicatedPool.query('select from products where tenant_id = $1', [tenant.id])
    expect(rowCount).toBe(1)
  })

  it('is not needed when the tenant is gone: foreign keys refuse what a process that slept still writes', async ({
    move,
    tenant,
    second,
  }) => {
    await newProduct(tenant, { name: 'Tea' })
    await removeRows(move, move.source, await tenantTables(move.source))
    await removeTriggers(move, move.source)
    const insert = `insert into operators (tenant_id, name, email) values (${tenant.id}, 'Ada', 'ada@example.com')`
    const error = await second.db.dedicatedPool.query(insert).catch((failure: unknown) => failure)
    expect(error).toMatchObject({ constraint: 'operators_tenant_id_fkey' })
    expect(databaseErrorToServiceError(error)).toMatchObject({ errorCode: 'service_unavailable', retryAfterSeconds: 1 })
  })
})
