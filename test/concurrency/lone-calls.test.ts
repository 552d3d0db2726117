import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, vi } from 'vitest'
import { Client } from '@fulfillment/server/database/connections/client.ts'
import { it as base } from '../support/it.ts'
import type { ServiceResponse, TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'

const MAXIMUM = 999_999_999_999
const LEVELS = 'select from stock_levels where tenant_id = $1 for update'
const TOTALS = 'select from warehouse_stock where tenant_id = $1 for update'

/** A caller alone, whose connections have prepared what a lone adjustment needs, and a session whose locks its calls wait for. */
const it = base
  .extend('blocker', async ({ service }, { onCleanup }) => {
    const blocker = new pg.Client({ connectionString: service.databaseUrl })
    await blocker.connect()
    await blocker.query(`set deadlock_timeout = '1min'`)
    onCleanup(() => blocker.end())
    return blocker
  })
  .extend('product', async ({ tenant }) => {
    const product = await newProduct(tenant)
    // A level that is there: another statement makes one.
    await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 4 })
    for (const key of [undefined, 'before'])
      for (let times = 0; times < 2; times++) await adjust(tenant, product, 4, key && `${key} ${times}`)
    return product
  })

const keyed = (key: string | undefined) => (key === undefined ? {} : { headers: { 'idempotency-key': key } })
const codeOf = ({ status, body }: ServiceResponse): string => body.error?.code ?? String(status)
const isReplayed = ({ headers }: ServiceResponse): boolean => headers.get('idempotency-replayed') === 'true'

const adjust = (tenant: TestTenant, { id }: { id: number }, adjustment_quantity = 1, key?: string): Promise<ServiceResponse> =>
  tenant.request('POST', '/stock/adjustment', { product_id: id, location_id: 'A', adjustment_quantity }, keyed(key))

/** The errors of the audit entries of an operation, newest first, without those of the preparation. */
async function errorsOf(tenant: TestTenant, operation = 'stock.adjust', leftOut = 4): Promise<(string | null)[]> {
  const { entries } = (await tenant.request('GET', `/audit-log?operation=${operation}&limit=100`)).body.data
  return entries.slice(0, entries.length - leftOut).map(({ error }: { error: string | null }) => error)
}

const levelOf = async (tenant: TestTenant, { sku }: { sku: string }): Promise<number> =>
  (await tenant.request('GET', `/stock/sku/${sku}`)).body.data.total_quantity

/** The processes of Postgres that wait for a lock of the blocker. */
async function waiting(blocker: pg.Client): Promise<number[]> {
  const { rows } = await blocker.query(
    'select pid from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
  )
  return rows.map(({ pid }) => pid)
}

/** The queries of the connections that carry out a call; the service has further ones of its own. */
async function queriesOf(call: () => Promise<ServiceResponse>): Promise<unknown[]> {
  const queries = vi.spyOn(Client.prototype, 'query')
  try {
    expect(codeOf(await call())).toBe('200')
    const { calls, contexts } = queries.mock
    const isChain = ([query]: unknown[]): boolean => typeof (query as { submit?: unknown }).submit === 'function'
    const own = contexts[calls.findIndex(isChain)]
    const ofEntries = /audit/
    return calls.flatMap(([query], n) => {
      const { name } = query as { name?: string }
      if (contexts[n] === own) return [isChain([query]) ? 'chain' : (name ?? query)]
      return name !== undefined && ofEntries.test(name) ? [name] : []
    })
  } finally {
    queries.mockRestore()
  }
}

/** Leaves out the tenant's audit entries, as the fence of a tenant that is being moved does. */
async function closeFence({ db }: TestService, { id }: TestTenant): Promise<void> {
  await sql`insert into tenant_fences (id, sandbox_id, is_closed, epoch) values (${id}, ${-id}, true, 1)`.execute(db.kysely)
  await sql`create trigger fence_in_test before insert on audit_log for each row when (new.tenant_id = ${sql.lit(id)})
    execute function fence_tenant(${sql.lit(String(id))}, 'ignore')`.execute(db.kysely)
}

describe.each([
  ['without a key', undefined, ['chain']],
  ['with an Idempotency-Key', 'key', ['chain', 'keep_idempotent_responses', 'commit']],
])('a call %s of a caller alone', (_title, key, queries) => {
  it('sends its audit entry and its change as one message', async ({ service, tenant, product }) => {
    let made = 0
    const adjustOnce = () => adjust(tenant, product, 1, key && `${key} ${made++}`)
    // Beside other work of the service, a call may get a connection that has not prepared its statements yet.
    await expect.poll(() => queriesOf(adjustOnce)).toEqual(queries)
    expect(new Set(await errorsOf(tenant))).toEqual(new Set([null]))
    await expectConsistentStock(service.db, tenant)
  })

  it('has an entry with its error when a rule refuses it, and changes nothing', async ({ tenant, product }) => {
    expect(codeOf(await adjust(tenant, product, -100, key))).toBe('adjustment_error')
    await expect.poll(() => errorsOf(tenant)).toEqual(['adjustment_error'])
    // No response was kept.
    expect(codeOf(await adjust(tenant, product, 100, key))).toBe('200')
    expect(await levelOf(tenant, product)).toBe(120)
  })

  it('has an entry with its error when its statement fails, and changes nothing', async ({ service, tenant, product }) => {
    expect(codeOf(await adjust(tenant, product, MAXIMUM, key))).toBe('adjustment_error')
    await expect.poll(() => errorsOf(tenant)).toEqual(['adjustment_error'])
    expect(await levelOf(tenant, product)).toBe(20)
    const again = await adjust(tenant, product, 1, key)
    expect([codeOf(again), isReplayed(again)]).toEqual(['200', false])
    await expectConsistentStock(service.db, tenant)
  })

  it('has its entry before its change begins, with an error when the connection is lost', async ({
    service,
    tenant,
    product,
    blocker,
  }) => {
    await blocker.query('begin')
    await blocker.query(LEVELS, [tenant.id])
    const response = adjust(tenant, product, 1, key)
    await expect.poll(() => waiting(blocker)).toHaveLength(1)
    expect(await errorsOf(tenant)).toEqual([null])
    for (const pid of await waiting(blocker)) await blocker.query('select pg_terminate_backend($1, 5000)', [pid])
    await blocker.query('rollback')
    expect(codeOf(await response)).toBe('service_unavailable')
    await expect.poll(() => errorsOf(tenant)).toEqual(['service_unavailable'])
    expect(await levelOf(tenant, product)).toBe(20)
    const again = await adjust(tenant, product, 1, key)
    expect([codeOf(again), isReplayed(again)]).toEqual(['200', false])
    await expectConsistentStock(service.db, tenant)
  })

  it('has one entry when its change is made again after a deadlock', async ({ service, tenant, product, blocker }) => {
    await blocker.query('begin')
    await blocker.query(TOTALS, [tenant.id])
    const response = adjust(tenant, product, 1, key)
    await expect.poll(() => waiting(blocker)).toHaveLength(1)
    await blocker.query(LEVELS, [tenant.id])
    await blocker.query('rollback')
    expect(codeOf(await response)).toBe('200')
    expect(await errorsOf(tenant)).toEqual([null])
    expect(await levelOf(tenant, product)).toBe(21)
    await expectConsistentStock(service.db, tenant)
  })

  it('counts in the warehouse that its location got while it waited', async ({ service, tenant, product, blocker }) => {
    const { id: north } = (await tenant.request('POST', '/warehouses', { name: 'North' })).body.data
    await blocker.query('begin')
    // What a PUT of the location changes.
    for (const text of [
      'update locations set warehouse_id = $2 where tenant_id = $1',
      'update warehouse_stock set warehouse_id = $2 where tenant_id = $1',
      `insert into stocked_count_changes (tenant_id, warehouse_id, change)
       select tenant_id, id, case when id = $2 then 1 else -1 end from warehouses where tenant_id = $1`,
    ])
      await blocker.query(text, [tenant.id, north])
    const response = adjust(tenant, product, 1, key)
    await expect.poll(() => waiting(blocker)).toHaveLength(1)
    await blocker.query('commit')
    expect(codeOf(await response)).toBe('200')
    expect(await errorsOf(tenant)).toEqual([null])
    await expectConsistentStock(service.db, tenant)
  })

  it('is refused without an entry while its tenant is being moved', async ({ service, tenant, product }) => {
    await closeFence(service, tenant)
    const { body } = await adjust(tenant, product, 1, key)
    await sql`drop trigger fence_in_test on audit_log`.execute(service.db.kysely)
    expect(body.error).toMatchObject({ code: 'service_unavailable', message: expect.stringContaining('being moved') })
    expect(await errorsOf(tenant)).toEqual([])
    expect(await levelOf(tenant, product)).toBe(20)
  })

  it('that creates an order is in the timeline of the order with the time of its entry', async ({ tenant, product }) => {
    for (const number of [1, 2]) {
      const order = {
        order_tenant_id: `lone ${number}`,
        assembly_date: '2026-12-01',
        order_detail: [{ barcode: product.barcode, quantity: 1 }],
      }
      const { id } = (await tenant.request('POST', '/orders', order, keyed(key && `order ${number}`))).body.data.orders[0]
      const calls = (await tenant.request('GET', `/orders/${id}/timeline?kind=call`)).body.data.entries
      const { entries } = (await tenant.request('GET', '/audit-log?operation=orders.create&limit=1')).body.data
      expect(calls.map(({ at }: { at: string }) => at)).toEqual([entries[0].at])
    }
  })

  it('that creates an order of very many lines has the time of its own entry, whatever its connections did before', async ({
    tenant,
    product,
  }) => {
    const orderOf = (lines: number) => ({
      order_tenant_id: `of ${lines} lines`,
      assembly_date: '2030-01-01',
      order_detail: Array.from({ length: lines }, () => ({ barcode: product.barcode, quantity: 1 })),
    })
    for (const lines of [1_000, 1, 999, 2, 998]) {
      const response = await tenant.request('POST', '/orders', orderOf(lines))
      expect(codeOf(response)).toBe('200')
      const [{ id }] = response.body.data.orders
      const calls = (await tenant.request('GET', `/orders/${id}/timeline?kind=call`)).body.data.entries
      const { entries } = (await tenant.request('GET', '/audit-log?operation=orders.create&limit=1')).body.data
      expect(calls.map(({ at }: { at: string }) => at)).toEqual([entries[0].at])
    }
  })
})

describe('a call with the key of a stored response, of a caller alone', () => {
  it('gets the response, and has no entry', async ({ tenant, product }) => {
    const first = await adjust(tenant, product, 1, 'key')
    const again = await adjust(tenant, product, 1, 'key')
    expect([again.body, isReplayed(again)]).toEqual([first.body, true])
    expect(codeOf(await adjust(tenant, product, 2, 'key'))).toBe('idempotency_conflict')
    // A rule would refuse it now.
    await adjust(tenant, product, -21)
    expect(isReplayed(await adjust(tenant, product, 1, 'key'))).toBe(true)
    expect(await errorsOf(tenant)).toEqual([null, null])
  })

  it('runs if the response expires while it is looked for', async ({ service, tenant, product }) => {
    await adjust(tenant, product, 1, 'key')
    const send = Client.prototype.query as (this: Client, ...args: unknown[]) => unknown
    const expire = sql`update idempotency_keys set created_at = now() - interval '25 hours' where tenant_id = ${tenant.id}`
    let expired: Promise<unknown> | undefined
    const queries = vi.spyOn(Client.prototype, 'query').mockImplementation(function (this: Client, ...args: unknown[]) {
      const isLook = (args[0] as { name?: string }).name === 'find_idempotent_response' && expired === undefined
      if (!isLook) return send.apply(this, args) as never
      expired = expire.execute(service.db.kysely)
      return expired.then(() => send.apply(this, args)) as never
    })
    const again = await adjust(tenant, product, 1, 'key')
    queries.mockRestore()
    expect(expired).toBeDefined()
    expect([codeOf(again), isReplayed(again)]).toEqual(['200', false])
    expect(await levelOf(tenant, product)).toBe(22)
    expect(await errorsOf(tenant)).toEqual([null, null])
  })
})
