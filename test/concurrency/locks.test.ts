import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { awaitTenantLock, MIGRATOR_LOCK, SYSTEM_LOCKS } from '@fulfillment/server/database/locks.ts'
import { newOrder } from '../support/orders.ts'
import type { TestService } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { keyHashedTo } from './support/invert-hash.ts'
import { atMost } from '../support/patience.ts'

const SOURCES = fileURLToPath(new URL('../../server/src/', import.meta.url))

async function sources(): Promise<{ file: string; text: string }[]> {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => /\.(ts|sql)$/.test(file))
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(SOURCES + file, 'utf8') })))
}

const it = base
  .extend('attacker', async ({ service }) => await service.newTenant())
  .extend('victim', async ({ service }) => await service.newTenant())
  .extend('blocker', async ({ service }, { onCleanup }) => {
    const blocker = new pg.Client({ connectionString: service.databaseUrl })
    await blocker.connect()
    onCleanup(() => blocker.end())
    return blocker
  })

describe('the advisory locks of the program', () => {
  it('are all defined in one module', async () => {
    const all = await sources()
    expect(all.length).toBeGreaterThan(150)
    const users = all.filter(({ text }) => /advisory_/i.test(text)).map(({ file }) => file)
    // The trigger of a move shares the lock `fence`.
    const trigger = 'database/migrations/0036_moving_tenants.sql'
    expect(users).toEqual(['database/locks.ts', trigger])
    const [, shared] = /advisory_xact_lock_shared\((.*)\);/.exec(all.find(({ file }) => file === trigger)?.text ?? '') ?? []
    expect(`pg_advisory_xact_lock(${shared?.replace('tg_argv[0]', '$1')})`).toBe(awaitTenantLock('fence'))
  })

  it('are taken only where they are declared to be', async () => {
    const taken = (await sources()).flatMap(({ file, text }) =>
      file === 'database/locks.ts'
        ? []
        : [...text.matchAll(/\b\w*(?:Tenant|System)Lock(?:OfSession)?\(\s*'(\w+)'/g)].map(([, lock]) => `${file} ${lock}`),
    )
    expect([...new Set(taken)].toSorted()).toEqual([
      'database/keyed-calls/claim-keys.ts idempotencyKey',
      'database/partitions/maintain-partitions.ts partitions',
      'database/rollups/fold-rollups.ts fold',
      'domain/products/catalog-lock.ts catalog',
      'domain/stock/fold-stocked.ts fold',
      'shards/move/fence.ts fence',
      'shards/move/partitions.ts partitions',
      'shards/move/registry.ts move',
      'shards/move/replication.ts publications',
    ])
  })

  it('have distinct numbers', async () => {
    const adapter = new URL('dialect/postgres/postgres-adapter.js', import.meta.resolve('kysely'))
    expect(await readFile(adapter, 'utf8')).toContain(`BigInt('${MIGRATOR_LOCK}')`)
    const numbers = [...Object.values(SYSTEM_LOCKS).map(BigInt), MIGRATOR_LOCK]
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})

describe('an Idempotency-Key', () => {
  const number = async (service: TestService, expression: ReturnType<typeof sql<string>>): Promise<bigint> => {
    const { rows } = await sql<{ number: string }>`select (${expression})::text as number`.execute(service.db.kysely)
    return BigInt(rows[0]?.number ?? 0)
  }

  it('cannot be chosen to take a lock of another tenant or of the service', async ({ service, attacker, victim, blocker }) => {
    const product = await newProduct(attacker)
    const body = { product_id: product.id, location_id: 'A', adjustment_quantity: 1 }
    await attacker.request('POST', '/stock/adjustment', body)
    const order = await newOrder(victim)
    // The single numbers that earlier releases lock: an order, a catalog, and the folding of counts.
    const targets = [
      await number(service, sql`hashtextextended('order', ${order.id}::bigint)`),
      await number(service, sql`hashint8extended(${victim.id}::bigint, 7300)`),
      BigInt(SYSTEM_LOCKS.fold),
    ]
    const keys = targets.map((target) => keyHashedTo(target, attacker.id))
    const hashes = await Promise.all(keys.map((key) => number(service, sql`hashtextextended(${key}, ${attacker.id}::bigint)`)))
    expect(hashes).toEqual(targets)

    await blocker.query('begin')
    await blocker.query('select from stock_levels where tenant_id = $1 for update', [attacker.id])
    const adjust = (key: string) => attacker.request('POST', '/stock/adjustment', body, { headers: { 'idempotency-key': key } })
    const held = keys.map(adjust)
    const locks = async (): Promise<unknown[]> =>
      (
        await blocker.query(
          `select distinct l.classid::int as tenant, l.objsubid as numbers from pg_locks l
           where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())`,
        )
      ).rows
    await expect.poll(locks).toEqual([{ tenant: attacker.id, numbers: 2 }])

    const startedAt = performance.now()
    const responses = await Promise.all([
      victim.request('PUT', `/orders/${order.id}`, { customer_name: 'Undisturbed' }),
      victim.request('POST', '/products', { barcode: 'undisturbed', name: 'Undisturbed' }),
      newProduct(victim).then(({ id }) =>
        victim.request('POST', '/stock/adjustment', { product_id: id, location_id: 'A', adjustment_quantity: 1 }),
      ),
    ])
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(performance.now() - startedAt).toBeLessThan(atMost(2_000))
    const unfolded = async (): Promise<unknown> =>
      (await blocker.query('select count(*)::int as rows from order_count_changes where tenant_id = $1', [victim.id])).rows[0]
        .rows
    await expect.poll(unfolded).toBe(0)

    const again = await Promise.all(keys.map(adjust))
    expect(again.map(({ status, body: { error }, headers }) => [status, error.code, headers.get('retry-after')])).toEqual(
      keys.map(() => [409, 'idempotency_conflict', '1']),
    )
    await blocker.query('rollback')
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await adjust(keys[0] as string)).headers.get('idempotency-replayed')).toBe('true')
  })

  it('is rolled back with its change if a server of an earlier release has stored a response for the key meanwhile', async ({
    service,
    attacker,
    blocker,
  }) => {
    const product = await newProduct(attacker)
    const body = { product_id: product.id, location_id: 'B', adjustment_quantity: 5 }
    await attacker.request('POST', '/stock/adjustment', body)
    await blocker.query('begin')
    await blocker.query('select from stock_levels where tenant_id = $1 and product_id = $2 for update', [attacker.id, product.id])
    const options = { headers: { 'idempotency-key': 'of two releases' } }
    const response = attacker.request('POST', '/stock/adjustment', body, options)
    const locks = `select from pg_locks where locktype = 'advisory' and classid::int = $1
      and database = (select oid from pg_database where datname = current_database())`
    await expect.poll(async () => (await blocker.query(locks, [attacker.id])).rowCount).toBe(1)
    // The row that the other server leaves. It holds another lock.
    await sql`insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext) values (${attacker.id}, 'of two releases', 'x', 'y')`.execute(
      service.db.kysely,
    )
    await blocker.query('rollback')
    expect([(await response).status, (await response).body.error.code]).toEqual([409, 'idempotency_conflict'])
    expect((await attacker.request('GET', `/stock/sku/${product.sku}`)).body.data.total_quantity).toBe(5)
  })
})
