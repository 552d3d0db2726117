import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { send, type TestTenant } from '../support/service.ts'

const it = base.extend('settings', { scope: 'file' }, { trustProxy: 1 })

interface Entry {
  id: string
  at: string
  key_id: number
  request_id: string
  operation: string
  input: Record<string, unknown>
  error: string | null
}

const log = async (tenant: TestTenant, query = ''): Promise<{ entries: Entry[]; next_cursor: string | null }> =>
  (await tenant.request('GET', `/audit-log${query}`)).body.data

const operationsOf = ({ entries }: { entries: Entry[] }): string[] => entries.map(({ operation }) => operation)

describe('the audit log', () => {
  it('records the key, operation, input, time, address and request id of a call', async ({ tenant }) => {
    const headers = { 'x-request-id': 'job-1', 'x-forwarded-for': '203.0.113.7' }
    const before = Date.now()
    await tenant.request('POST', '/products', { name: ' Tea ', barcode: '1', unknown: 'not kept' }, { headers })
    const { entries } = await log(tenant)
    expect(entries).toMatchObject([
      {
        key_name: 'test key',
        address: '203.0.113.7',
        request_id: 'job-1',
        operation: 'products.create',
        input: { name: 'Tea', barcode: '1' },
        error: null,
      },
    ])
    expect(entries[0]?.input).not.toHaveProperty('unknown')
    expect(Date.parse(entries[0]?.at ?? '')).toBeGreaterThanOrEqual(before)
  })

  it('records failed calls with their error code', async ({ tenant }) => {
    const { id } = (await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })).body.data
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
    await tenant.request('POST', '/stock/adjustment', { product_id: id, location_id: 'A', adjustment_quantity: -1 })
    await tenant.request('PUT', '/orders/424242', { customer_name: 'Ada' })
    await expect
      .poll(async () => (await log(tenant)).entries.map(({ error }) => error))
      .toEqual(['not_found', 'adjustment_error', 'already_exists', null])
  })

  it('does not record invalid input, missing scopes and replayed responses', async ({ tenant }) => {
    await tenant.request('POST', '/products', { name: 'Tea' })
    await tenant.request(
      'POST',
      '/products',
      { name: 'Tea', barcode: '1' },
      { key: await tenant.createKey({ scopes: ['read:products'] }) },
    )
    expect(operationsOf(await log(tenant))).toEqual([])
    for (let times = 0; times < 3; times++) {
      await tenant.request('POST', '/warehouses', { name: 'North' }, { headers: { 'idempotency-key': 'once' } })
    }
    expect(operationsOf(await log(tenant))).toEqual(['warehouses.create'])
  })

  it('records tRPC calls', async ({ service, tenant }) => {
    const { status } = await send(`${service.url}/trpc/warehouses.create`, 'POST', { name: 'South' }, { key: tenant.key })
    expect(status).toBe(200)
    expect((await log(tenant)).entries).toMatchObject([{ operation: 'warehouses.create', input: { name: 'South' } }])
  })

  it.for(['cursor', 'after'])('is read page by page by `%s`, newest first', async (name, { tenant }) => {
    await Promise.all(Array.from({ length: 25 }, (_, n) => tenant.request('POST', '/warehouses', { name: `W${n}` })))
    const names: unknown[] = []
    const times: string[] = []
    let cursor: string | null = ''
    for (let page = 0; cursor !== null && page < 10; page++) {
      const response: { entries: Entry[]; next_cursor: string | null } = await log(
        tenant,
        `?limit=10${cursor === '' ? '' : `&${name}=${cursor}`}`,
      )
      names.push(...response.entries.map(({ input }) => input.name))
      times.push(...response.entries.map(({ at }) => at))
      cursor = response.next_cursor
    }
    expect(names.toSorted()).toEqual(Array.from({ length: 25 }, (_, n) => `W${n}`).toSorted())
    expect(times).toEqual(times.toSorted().toReversed())
  })

  it('is filtered in parts, however few entries match', async ({ service, tenant }) => {
    await tenant.request('POST', '/warehouses', { name: 'oldest' }, { headers: { 'x-request-id': 'oldest' } })
    await service.db.dedicatedPool.query(
      `insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input, surface)
       select $1, date_trunc('milliseconds', now()) + n / 100 * interval '1 millisecond', gen_random_uuid(), 1, 'key', '127.0.0.1', 'r' || n, 'orders.create', '{}', 'api'
       from generate_series(1, 25000) n`,
      [tenant.id],
    )
    const names = async (query: string): Promise<unknown[]> => {
      const { entries, next_cursor } = await log(tenant, query)
      return [...entries.map(({ input }) => input.name), next_cursor]
    }
    expect(await names('?request_id=oldest')).toEqual(['oldest', null])
    expect(await names('?operation=warehouses.create&limit=1')).toEqual(['oldest', null])
    expect(await names('?request_id=nothing')).toEqual([null])
    // Each request id is of one entry.
    const seen = new Set<string>()
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: { entries: Entry[]; next_cursor: string | null } = await log(
        tenant,
        `?operation=orders.create&limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      for (const { request_id } of page.entries) seen.add(request_id)
      cursor = page.next_cursor
    }
    expect(seen.size).toBe(25_000)
  })

  it('is filtered by key, operation, request and time', async ({ tenant }) => {
    const other = await tenant.createKey({ name: 'other' })
    await tenant.request('POST', '/warehouses', { name: 'one' })
    await tenant.request('POST', '/warehouses', { name: 'two' }, { key: other, headers: { 'x-request-id': 'second' } })
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
    const all = await log(tenant)
    expect(operationsOf(all)).toEqual(['products.create', 'warehouses.create', 'warehouses.create'])
    const second = all.entries[1] as Entry
    const names = async (query: string): Promise<unknown[]> => (await log(tenant, query)).entries.map(({ input }) => input.name)
    expect(await names(`?key_id=${second.key_id}`)).toEqual(['two'])
    expect(await names('?operation=warehouses.create')).toEqual(['two', 'one'])
    expect(await names('?request_id=second')).toEqual(['two'])
    const today = new Date().toISOString().slice(0, 10)
    expect(await names(`?since=${today}&until=${today}`)).toHaveLength(3)
    expect(await names('?until=2020-01-01')).toEqual([])
    expect(await names(`?since=${all.entries[0]?.at}`)).toContain('Tea')
    const { status, body } = await tenant.request('GET', '/audit-log?after=1-2')
    expect([status, body.error?.code]).toEqual([400, 'validation_error'])
  })

  it('truncates long input', async ({ tenant }) => {
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1', description: 'x'.repeat(4_000) })
    const products = Array.from({ length: 500 }, (_, n) => ({ barcode: `b${n}`, name: 'y'.repeat(255) }))
    await tenant.request('POST', '/products/bulk', { products })
    await tenant.request('POST', '/products/bulk', { products: products.map(({ barcode }) => ({ barcode, price: 1 })) })
    const [short, bulk, long] = (await log(tenant)).entries.map(({ input }) => input)
    expect(long?.description).toBe(`${'x'.repeat(200)}…`)
    expect(bulk?.products).toHaveLength(11)
    expect(JSON.stringify(bulk).length).toBeLessThan(4_000)
    expect((short?.products as unknown[] | undefined)?.at(-1)).toBe('… and 490 more')
  })

  it('cannot be changed', async ({ service, tenant }) => {
    await tenant.request('POST', '/warehouses', { name: 'one' })
    const changes = [
      'update audit_log set key_id = 1',
      `update audit_log set input = '{}'`,
      'delete from audit_log',
      'truncate audit_log',
    ]
    for (const change of changes) await expect(service.db.dedicatedPool.query(change)).rejects.toThrow('append-only')
    const { rowCount } = await service.db.dedicatedPool.query('select from audit_log where tenant_id = $1', [tenant.id])
    expect(rowCount).toBe(1)
  })
})
