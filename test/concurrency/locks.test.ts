import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATOR_LOCK, SYSTEM_LOCKS } from '../../server/src/database/locks.ts'
import { newOrder } from '../support/orders.ts'
import { startService, type TestService, type TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { keyHashedTo } from './support/invert-hash.ts'
import { atMost } from '../support/patience.ts'

const SOURCES = fileURLToPath(new URL('../../server/src/', import.meta.url))

async function sources(): Promise<{ file: string; text: string }[]> {
  const files = (await readdir(SOURCES, { recursive: true })).filter((file) => /\.(ts|sql)$/.test(file))
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(SOURCES + file, 'utf8') })))
}

describe('the advisory locks of the program', () => {
  it('are all made by one module', async () => {
    const all = await sources()
    expect(all.length).toBeGreaterThan(150)
    const users = all.filter(({ text }) => /advisory_/i.test(text)).map(({ file }) => file)
    // The other one tells statements that lock from those that only read.
    expect(users.toSorted()).toEqual(['database/locks.ts', 'database/statement.ts'])
  })

  it('are those that it declares, and each is taken where it says', async () => {
    const taken = (await sources()).flatMap(({ file, text }) =>
      file === 'database/locks.ts'
        ? []
        : [...text.matchAll(/\b\w*(?:Tenant|System)Lock\(\s*'(\w+)'/g)].map(([, lock]) => `${file} ${lock}`),
    )
    expect([...new Set(taken)].toSorted()).toEqual([
      'counts/fold-counts.ts fold',
      'events/maintain-partitions.ts partitions',
      'http/idempotency.ts idempotencyKey',
      'products/catalog-lock.ts catalog',
    ])
  })

  it('name the service by numbers that differ', async () => {
    const adapter = new URL('dialect/postgres/postgres-adapter.js', import.meta.resolve('kysely'))
    expect(await readFile(adapter, 'utf8')).toContain(`BigInt('${MIGRATOR_LOCK}')`)
    const numbers = [...Object.values(SYSTEM_LOCKS).map(BigInt), MIGRATOR_LOCK]
    expect(new Set(numbers).size).toBe(numbers.length)
  })
})

describe('an Idempotency-Key', () => {
  let service: TestService
  let attacker: TestTenant
  let victim: TestTenant
  let blocker: pg.Client
  beforeAll(async () => {
    service = await startService()
    ;[attacker, victim] = await Promise.all([service.newTenant(), service.newTenant()])
    blocker = new pg.Client({ connectionString: service.databaseUrl })
    await blocker.connect()
  })
  afterAll(async () => {
    await blocker.end()
    await service.stop()
  })

  const number = async (expression: ReturnType<typeof sql<string>>): Promise<bigint> => {
    const { rows } = await sql<{ number: string }>`select (${expression})::text as number`.execute(service.db.kysely)
    return BigInt(rows[0]?.number ?? 0)
  }

  it('names no lock of another tenant or of the service, whatever is chosen', async () => {
    const product = await newProduct(attacker)
    const body = { product_id: product.id, location_id: 'A', adjustment_quantity: 1 }
    await attacker.request('POST', '/stock/adjustment', body)
    const order = await newOrder(victim)
    // What earlier releases locked by a single number: an order, a catalog, and the folding of counts.
    const targets = [
      await number(sql`hashtextextended('order', ${order.id}::bigint)`),
      await number(sql`hashint8extended(${victim.id}::bigint, 7300)`),
      BigInt(SYSTEM_LOCKS.fold),
    ]
    const keys = targets.map((target) => keyHashedTo(target, attacker.id))
    const hashes = await Promise.all(keys.map((key) => number(sql`hashtextextended(${key}, ${attacker.id}::bigint)`)))
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
    const answers = await Promise.all([
      victim.request('PUT', `/orders/${order.id}`, { customer_name: 'Undisturbed' }),
      victim.request('POST', '/products', { barcode: 'undisturbed', name: 'Undisturbed' }),
      newProduct(victim).then(({ id }) =>
        victim.request('POST', '/stock/adjustment', { product_id: id, location_id: 'A', adjustment_quantity: 1 }),
      ),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
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

  it('is undone with its change when a server of an earlier release has answered the same key meanwhile', async () => {
    const product = await newProduct(attacker)
    const body = { product_id: product.id, location_id: 'B', adjustment_quantity: 5 }
    await attacker.request('POST', '/stock/adjustment', body)
    await blocker.query('begin')
    await blocker.query('select from stock_levels where tenant_id = $1 and product_id = $2 for update', [attacker.id, product.id])
    const options = { headers: { 'idempotency-key': 'of two releases' } }
    const answer = attacker.request('POST', '/stock/adjustment', body, options)
    await expect
      .poll(
        async () =>
          (await blocker.query(`select from pg_locks where locktype = 'advisory' and classid::int = $1`, [attacker.id])).rowCount,
      )
      .toBe(1)
    // As the other server leaves it: it holds another lock.
    await sql`insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext) values (${attacker.id}, 'of two releases', 'x', 'y')`.execute(
      service.db.kysely,
    )
    await blocker.query('rollback')
    expect([(await answer).status, (await answer).body.error.code]).toEqual([409, 'idempotency_conflict'])
    expect((await attacker.request('GET', `/stock/sku/${product.sku}`)).body.data.total_quantity).toBe(5)
  })
})
