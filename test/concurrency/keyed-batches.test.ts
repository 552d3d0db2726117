import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { expectConsistentPicking, pick, startedFlow, stockedProduct, type PickableProduct } from '../support/picking.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'

const MAXIMUM = 999_999_999_999

const it = base
  // A session whose locks the calls wait for.
  .extend('blocker', async ({ service }, { onCleanup }) => {
    const blocker = new pg.Client({ connectionString: service.databaseUrl })
    await blocker.connect()
    onCleanup(() => blocker.end())
    return blocker
  })
  .extend('products', async ({ tenant }) => await Promise.all(times(24, () => newProduct(tenant))))

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
const codeOf = ({ status, body }: ServiceResponse): string => body.error?.code ?? String(status)
const isReplayed = ({ headers }: ServiceResponse): boolean => headers.get('idempotency-replayed') === 'true'

const adjust = (tenant: TestTenant, product_id: number, key: string, adjustment_quantity = 1): Promise<ServiceResponse> =>
  tenant.request('POST', '/stock/adjustment', { product_id, location_id: 'A', adjustment_quantity, reason: key }, keyed(key))

/** The transactions that wrote rows of a table. */
async function transactionsOf({ db }: TestService, { id }: TestTenant, table: string): Promise<string[]> {
  const { rows } = await sql<{ xmin: string }>`
    select distinct xmin::text from ${sql.table(table)} where tenant_id = ${id} order by 1`.execute(db.kysely)
  return rows.map(({ xmin }) => xmin)
}

/** How often each key's change was made: the calls give their key as the reason. */
async function movementsOf({ db }: TestService, { id }: TestTenant): Promise<Record<string, number>> {
  const { rows } = await sql<{ reason: string; count: number }>`
    select reason, count(*) from stock_movements where tenant_id = ${id} and reason is not null group by 1`.execute(db.kysely)
  return Object.fromEntries(rows.map(({ reason, count }) => [reason, count]))
}

async function auditEntries(tenant: TestTenant, operation: string): Promise<{ request_id: string }[]> {
  return (await tenant.request('GET', `/audit-log?operation=${operation}&limit=100`)).body.data.entries
}

/** Begins a transaction that locks all stock levels of the tenant. */
async function lockLevels(blocker: pg.Client, tenant: TestTenant): Promise<void> {
  await blocker.query('begin')
  await blocker.query('select from stock_levels where tenant_id = $1 for update', [tenant.id])
}

/** The processes of Postgres that wait for a lock of the blocker. */
async function waiting(blocker: pg.Client): Promise<number[]> {
  const { rows } = await blocker.query(
    'select pid from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
  )
  return rows.map(({ pid }) => pid)
}

describe('calls with an Idempotency-Key that come together', () => {
  it('share transactions, each of which keeps the responses of its changes', async ({ service, tenant, products }) => {
    const responses = await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `key ${n}`)))
    expect(responses.map(codeOf)).toEqual(products.map(() => '200'))
    const transactions = await transactionsOf(service, tenant, 'stock_movements')
    expect(transactions.length).toBeLessThan(products.length / 2)
    expect(await transactionsOf(service, tenant, 'idempotency_keys')).toEqual(transactions)
    const again = await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `key ${n}`)))
    expect(again.map(({ body }) => body)).toEqual(responses.map(({ body }) => body))
    expect(again.every(isReplayed)).toBe(true)
    expect(await auditEntries(tenant, 'stock.adjust')).toHaveLength(products.length)
    await expectConsistentStock(service.db, tenant)
  })

  it('share transactions when they set levels, create orders or pick', async ({ service, tenant, products }) => {
    const set = products.map(({ id }, n) =>
      tenant.request('PUT', `/stock/product/${id}`, { location_id: 'A', quantity: 50 }, keyed(`set ${n}`)),
    )
    expect((await Promise.all(set)).map(codeOf)).toEqual(products.map(() => '200'))
    expect((await transactionsOf(service, tenant, 'stock_movements')).length).toBeLessThan(products.length / 2)
    const flows = await Promise.all(products.map((product) => startedFlow(tenant, [[product, 10]])))
    const pickAll = (key: string) =>
      Promise.all(
        flows.map(({ flow }, n) => {
          const body = { barcode: products[n]?.barcode, location_id: 'A', quantity: 2 }
          return tenant.request('POST', `/flows/${flow}/picks`, body, keyed(`${key} ${n}`))
        }),
      )
    const picked = await pickAll('pick')
    expect(picked.map(codeOf)).toEqual(products.map(() => '200'))
    expect((await transactionsOf(service, tenant, 'picks')).length).toBeLessThan(products.length / 2)
    expect((await pickAll('pick')).map(({ body }) => body)).toEqual(picked.map(({ body }) => body))
    const orders = products.map(({ barcode }, n) => {
      const order = { order_tenant_id: `keyed ${n}`, assembly_date: '2026-12-01', order_detail: [{ barcode, quantity: 1 }] }
      return tenant.request('POST', '/orders', order, keyed(`order ${n}`))
    })
    const created = await Promise.all(orders)
    expect(created.map(({ body }) => body.data.orders[0].order_tenant_id)).toEqual(products.map((_, n) => `keyed ${n}`))
    await expectConsistentStock(service.db, tenant)
    await expectConsistentPicking(service.db, tenant)
  })

  it('get each its own result, and only successful ones are kept', async ({ service, tenant, products }) => {
    const requests = (key: string) => [
      ...products.slice(2).map(({ id }, n) => adjust(tenant, id, `${key} good ${n}`, 3)),
      adjust(tenant, products[0]?.id ?? 0, `${key} short`, -1),
      adjust(tenant, 999_999_999, `${key} unknown`),
    ]
    const first = await Promise.all(requests('a'))
    const codes = [...products.slice(2).map(() => '200'), 'adjustment_error', 'not_found']
    expect(first.map(codeOf)).toEqual(codes)
    await adjust(tenant, products[0]?.id ?? 0, 'stock for the short one', 1)
    const again = await Promise.all(requests('a'))
    expect(again.map(codeOf)).toEqual([...products.slice(2).map(() => '200'), '200', 'not_found'])
    expect(again.map(isReplayed)).toEqual([...products.slice(2).map(() => true), false, false])
    await expectConsistentStock(service.db, tenant)
  })

  it('get each its own result when one of them fails the statement of all', async ({ service, tenant, products }) => {
    await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `before ${n}`)))
    const request = (n: number, id: number) => adjust(tenant, id, `key ${n}`, n === 7 ? MAXIMUM : 1)
    const responses = await Promise.all(products.map(({ id }, n) => request(n, id)))
    expect(responses.map(codeOf)).toEqual(products.map((_, n) => (n === 7 ? 'adjustment_error' : '200')))
    const again = await Promise.all(products.map(({ id }, n) => request(n, id)))
    expect(again.map(isReplayed)).toEqual(products.map((_, n) => n !== 7))
    const movements = await movementsOf(service, tenant)
    expect(products.map((_, n) => movements[`key ${n}`] ?? 0)).toEqual(products.map((_, n) => (n === 7 ? 0 : 1)))
    await expectConsistentStock(service.db, tenant)
  })

  it('are done once when two have the same key, and the other one is told that the first is running', async ({
    service,
    tenant,
    products,
    blocker,
  }) => {
    await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `before ${n}`)))
    await lockLevels(blocker, tenant)
    // The same request twice, and another one with the same key. Either of the two may come first.
    const pairs = [
      ['same', 0, 0],
      ['other', 1, 2],
    ].map(([key, ...of]) =>
      of.map(async (n) => ({ key, n, response: await adjust(tenant, products[n as number]?.id ?? 0, key as string) })),
    )
    const refused = await Promise.all(pairs.map((pair) => Promise.race(pair)))
    expect(refused.map(({ response }) => [codeOf(response), response.headers.get('retry-after')])).toEqual([
      ['idempotency_conflict', '1'],
      ['idempotency_conflict', '1'],
    ])
    await blocker.query('rollback')
    const both = await Promise.all(pairs.map((pair) => Promise.all(pair)))
    for (const pair of both)
      expect(pair.map(({ response }) => codeOf(response)).toSorted()).toEqual(['200', 'idempotency_conflict'])
    expect(await movementsOf(service, tenant)).toMatchObject({ same: 1, other: 1 })
    const [repeated, changed] = await Promise.all(
      refused.map(({ key, n }) => adjust(tenant, products[n as number]?.id ?? 0, key as string)),
    )
    expect([isReplayed(repeated as ServiceResponse), changed?.body.error.message]).toEqual([
      true,
      'This Idempotency-Key was used with a different request',
    ])
    expect(await auditEntries(tenant, 'stock.adjust')).toHaveLength(products.length + 2)
  })

  it('wait for nothing when another process has their key, and those beside them are done', async ({
    service,
    tenant,
    products,
    blocker,
  }) => {
    const taken = [3, 7]
    const request = () => Promise.all(products.map(({ id }, n) => adjust(tenant, id, `key ${n}`)))
    // Prepares the statements of the connections.
    for (const round of [1, 2]) await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `before ${round} ${n}`)))
    await blocker.query('begin')
    for (const n of taken) {
      await blocker.query('select pg_advisory_xact_lock($1::int, -1 - (hashtext($2) & 2147483647))', [tenant.id, `key ${n}`])
      const lock = 'select from stock_levels where tenant_id = $1 and product_id = $2 for update'
      await blocker.query(lock, [tenant.id, products[n]?.id])
    }
    expect(codeOf(await adjust(tenant, products[3]?.id ?? 0, 'key 3'))).toBe('idempotency_conflict')
    expect((await request()).map(codeOf)).toEqual(products.map((_, n) => (taken.includes(n) ? 'idempotency_conflict' : '200')))
    await blocker.query('rollback')
    const again = await request()
    expect(again.map(codeOf)).toEqual(products.map(() => '200'))
    expect(again.map(isReplayed)).toEqual(products.map((_, n) => !taken.includes(n)))
    const movements = await movementsOf(service, tenant)
    expect(products.map((_, n) => movements[`key ${n}`])).toEqual(products.map(() => 1))
  })

  it('have keys of their tenant alone', async ({ service, tenant, products }) => {
    const neighbour = await service.newTenant()
    const others = await Promise.all(products.map(() => newProduct(neighbour)))
    const responses = await Promise.all([
      ...products.map(({ id }, n) => adjust(tenant, id, `shared ${n}`, 2)),
      ...others.map(({ id }, n) => adjust(neighbour, id, `shared ${n}`, 5)),
    ])
    expect(responses.map(codeOf)).toEqual(responses.map(() => '200'))
    expect(responses.some(isReplayed)).toBe(false)
    expect(responses.map(({ body }) => body.data.stock.new_quantity)).toEqual([...products.map(() => 2), ...others.map(() => 5)])
  })

  it('may be repeated at once after their connection was lost between claim and response', async ({
    service,
    tenant,
    products,
    blocker,
  }) => {
    const request = () => Promise.all(products.map(({ id }, n) => adjust(tenant, id, `key ${n}`)))
    await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `before ${n}`)))
    await lockLevels(blocker, tenant)
    const responses = request()
    await expect.poll(() => waiting(blocker)).not.toEqual([])
    const { rows } = await blocker.query(
      `select count(*)::int as keys from pg_locks where locktype = 'advisory' and classid::int = $1 and granted
         and database = (select oid from pg_database where datname = current_database())`,
      [tenant.id],
    )
    expect(rows[0].keys).toBeGreaterThan(0)
    for (const pid of await waiting(blocker)) await blocker.query('select pg_terminate_backend($1, 5000)', [pid])
    await blocker.query('rollback')
    const first = (await responses).map(codeOf)
    expect(first).toContain('service_unavailable')
    const again = await request()
    expect(again.map(codeOf)).toEqual(products.map(() => '200'))
    expect(again.map(isReplayed)).toEqual(first.map((code) => code === '200'))
    const movements = await movementsOf(service, tenant)
    expect(products.map((_, n) => movements[`key ${n}`])).toEqual(products.map(() => 1))
    await expectConsistentStock(service.db, tenant)
  })

  it('are done again after a deadlock, with one entry each in the audit log', async ({ service, tenant, products, blocker }) => {
    await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `before ${n}`)))
    const ids = products.map(({ id }) => id).toSorted((a, b) => a - b)
    await blocker.query(`set deadlock_timeout = '1min'`)
    await blocker.query('begin')
    const lock = 'select from stock_levels where tenant_id = $1 and product_id = $2 for update'
    await blocker.query(lock, [tenant.id, ids.at(-1)])
    const responses = Promise.all(ids.map((id, n) => adjust(tenant, id, `key ${n}`)))
    await expect.poll(() => waiting(blocker)).not.toEqual([])
    // Creates a deadlock: Postgres aborts the transaction that detects it first.
    const held = await Promise.all(ids.slice(0, -1).map((id) => isLocked(service, tenant, id)))
    const taken = ids[held.indexOf(true)]
    expect(taken).toBeDefined()
    await blocker.query(lock, [tenant.id, taken])
    await blocker.query('rollback')
    expect((await responses).map(codeOf)).toEqual(products.map(() => '200'))
    const { rows } = await sql<{ deadlocks: number }>`
      select deadlocks from pg_stat_database where datname = current_database()`.execute(service.db.kysely)
    expect(rows[0]?.deadlocks).toBeGreaterThan(0)
    expect(await auditEntries(tenant, 'stock.adjust')).toHaveLength(2 * products.length)
    const movements = await movementsOf(service, tenant)
    expect(products.map((_, n) => movements[`key ${n}`])).toEqual(products.map(() => 1))
    await expectConsistentStock(service.db, tenant)
  })

  it('lose nothing when one finds its response stored by a server of an earlier release', async ({
    service,
    tenant,
    products,
    blocker,
  }) => {
    await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `before ${n}`)))
    await lockLevels(blocker, tenant)
    const responses = Promise.all(products.map(({ id }, n) => adjust(tenant, id, `key ${n}`)))
    await expect.poll(() => waiting(blocker)).not.toEqual([])
    // Earlier releases take another lock.
    await sql`
      insert into idempotency_keys (tenant_id, key, request_hash, answer_ciphertext)
      select ${tenant.id}, 'key ' || n, 'x', 'y' from generate_series(0, 23) n where n % 5 = 0`.execute(service.db.kysely)
    await blocker.query('rollback')
    expect((await responses).map(codeOf)).toEqual(products.map((_, n) => (n % 5 === 0 ? 'idempotency_conflict' : '200')))
    const movements = await movementsOf(service, tenant)
    expect(products.map((_, n) => movements[`key ${n}`] ?? 0)).toEqual(products.map((_, n) => (n % 5 === 0 ? 0 : 1)))
    // Some calls have run twice.
    const requests = (await auditEntries(tenant, 'stock.adjust')).map(({ request_id }) => request_id)
    expect(requests.length).toBe(new Set(requests).size)
    await expectConsistentStock(service.db, tenant)
  })
})

describe('picks that share a statement', () => {
  it('take the same product, named in different ways, one after the other', async ({ service, tenant, blocker }) => {
    const [tea, milk, salt] = await Promise.all(times(3, () => stockedProduct(tenant, { A: 100, B: 100 })))
    const flowOf = async (product = tea) => (await startedFlow(tenant, [[product as PickableProduct, 5]])).flow
    const flows = [await flowOf(milk), await flowOf(salt), await flowOf(), await flowOf()] as const
    await lockLevels(blocker, tenant)
    const picked: Promise<ServiceResponse>[] = []
    const take = (flow: number, body: object) => void picked.push(pick(tenant, flow, { quantity: 5, ...body }))
    // Makes two statements wait, so that the next calls share one.
    take(flows[0], { product_id: milk?.id, location_id: 'A' })
    await expect.poll(() => waiting(blocker)).toHaveLength(1)
    take(flows[1], { product_id: salt?.id, location_id: 'A' })
    await expect.poll(() => waiting(blocker)).toHaveLength(2)
    take(flows[2], { product_id: tea?.id, location_id: 'A' })
    take(flows[3], { barcode: tea?.barcode, location_id: 'B' })
    // Not by a request, because the tenant may have at most four in progress.
    const begun = sql<{
      picks: number
    }>`select count(*) as picks from audit_log where tenant_id = ${tenant.id} and operation = 'flows.pick'`
    await expect.poll(async () => (await begun.execute(service.db.kysely)).rows).toEqual([{ picks: 4 }])
    await blocker.query('rollback')
    expect((await Promise.all(picked)).map(codeOf)).toEqual(['200', '200', '200', '200'])
    await expectConsistentStock(service.db, tenant)
    await expectConsistentPicking(service.db, tenant)
  })
})

describe('a stored response', () => {
  it('is looked for by its key, also with a plan made while none was stored', async ({ tenant, products, blocker }) => {
    await blocker.query('delete from idempotency_keys')
    await blocker.query('vacuum (analyze) idempotency_keys')
    const scans = async (): Promise<number> => {
      const { rows } = await blocker.query(
        `select pg_stat_force_next_flush(), seq_scan::int from pg_stat_user_tables where relname = 'idempotency_keys'`,
      )
      return rows[0].seq_scan
    }
    const before = await scans()
    for (let round = 0; round < 3; round++)
      await Promise.all(products.map(({ id }, n) => adjust(tenant, id, `round ${round} key ${n}`)))
    // Postgres reports a session's statistics within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    await adjust(tenant, products[0]?.id ?? 0, 'last')
    await new Promise((resolve) => setTimeout(resolve, 200))
    // Maintenance may read the empty table.
    expect((await scans()) - before).toBeLessThan(products.length)
  })
})

/** Whether a transaction holds the level of a product. */
async function isLocked({ db }: TestService, { id }: TestTenant, productId: number): Promise<boolean> {
  const { rows } = await sql`
    select from stock_levels where tenant_id = ${id} and product_id = ${productId} for update skip locked`.execute(db.kysely)
  return rows.length === 0
}
