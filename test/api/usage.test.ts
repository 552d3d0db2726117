import { describe, expect } from 'vitest'
import { connectAgent } from '../support/agent.ts'
import { it } from '../support/it.ts'
import { send, type TestService, type TestTenant } from '../support/service.ts'
import { signedIn } from '../web/support/page-client.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString()

interface UsageHour {
  at: string
  key_id: number
  operation: string
  requests: number
  client_errors: number
  limited: number
  server_errors: number
}

async function usageOf(tenant: TestTenant, filter = ''): Promise<UsageHour[]> {
  const { body } = await tenant.request('GET', `/reports/usage?since=${daysAgo(1)}${filter}`)
  return body.data.hours
}

/** Counts by operation and key, over the hours: the test may run into the next one. */
async function sumsOf(tenant: TestTenant, filter = ''): Promise<Omit<UsageHour, 'at'>[]> {
  const sums = new Map<string, Omit<UsageHour, 'at'>>()
  for (const { at: _, ...hour } of await usageOf(tenant, filter)) {
    const sum = sums.get(`${hour.operation} ${hour.key_id}`) ?? {
      ...hour,
      requests: 0,
      client_errors: 0,
      limited: 0,
      server_errors: 0,
    }
    for (const count of ['requests', 'client_errors', 'limited', 'server_errors'] as const) sum[count] += hour[count]
    sums.set(`${hour.operation} ${hour.key_id}`, sum)
  }
  return [...sums.values()].toSorted((a, b) => a.operation.localeCompare(b.operation) || a.key_id - b.key_id)
}

const requestsOf = async (tenant: TestTenant, operation: string): Promise<number> =>
  (await sumsOf(tenant)).find((sum) => sum.operation === operation)?.requests ?? 0

/** Counts are written every 10 seconds. */
const WRITTEN = { timeout: 60_000, interval: 500 }

const insertHours = (service: TestService, tenant: TestTenant, count: number, at: string) =>
  service.db.dedicatedPool.query(
    `insert into usage_hours (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors)
     select $1, $2::timestamptz - n * interval '1 second', 1, 'orders.list', 1, 0, 0, 0 from generate_series(1, $3) n`,
    [tenant.id, at, count],
  )

// The tests wait together for the counts to be written.
describe.concurrent('GET /reports/usage', () => {
  it('counts requests by hour, key and operation, with their errors', async ({ tenant, expect }) => {
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
    await tenant.request('POST', '/products', { name: 'Tea' })
    await tenant.request('POST', '/products', { name: 'Tea', barcode: '1' })
    const reader = await tenant.createKey({ scopes: ['read:orders'] })
    await tenant.request('POST', '/products', { name: 'Coffee', barcode: '2' }, { key: reader })
    await send(`${tenant.url}/trpc/products.list?input={}`, 'GET', undefined, { key: tenant.key })
    await send(`${tenant.url}/trpc/products.nothing`, 'GET', undefined, { key: tenant.key })
    const sums = async (filter = '') => (await sumsOf(tenant, filter)).filter(({ operation }) => operation.startsWith('products'))
    const { api_keys } = (await tenant.request('GET', '/api-keys')).body.data
    const [readerId, adminId] = api_keys.map(({ id }: { id: number }) => id)
    const none = { client_errors: 0, limited: 0, server_errors: 0 }
    const byReader = { key_id: readerId, operation: 'products.create', ...none, requests: 1, client_errors: 1 }
    await expect
      .poll(() => sums(), WRITTEN)
      .toEqual([
        { key_id: adminId, operation: 'products.create', ...none, requests: 3, client_errors: 2 },
        byReader,
        { key_id: adminId, operation: 'products.list', ...none, requests: 1 },
      ])
    expect(await sums(`&key_id=${readerId}`)).toEqual([byReader])
    const [{ at }] = (await usageOf(tenant)) as [UsageHour]
    expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:00:00\.000Z$/)
    expect(Date.now() - Date.parse(at)).toBeLessThan(3_700_000)
  })

  it('counts requests over the limit apart', async ({ startService }) => {
    const service = await startService({ rateLimitPerMinute: 5 })
    const tenant = await service.newTenant()
    const limited = await tenant.createKey({ scopes: ['read:orders'] })
    for (let calls = 0; calls < 8; calls++) await tenant.request('GET', '/orders', undefined, { key: limited })
    await service.stopServer()
    const { rows } = await service.db.dedicatedPool.query(
      `select operation, sum(requests)::int as requests, sum(client_errors)::int as client_errors, sum(limited)::int as limited
       from usage_hours where tenant_id = $1 group by operation`,
      [tenant.id],
    )
    expect(rows).toEqual([{ operation: 'orders.list', requests: 8, client_errors: 0, limited: 3 }])
  })

  it('adds up over servers, and loses nothing of one that stops', async ({ service, startService, tenant, expect }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    for (let calls = 0; calls < 3; calls++) await tenant.request('GET', '/locations')
    for (let calls = 0; calls < 4; calls++) await send(`${other.url}/api/v1/locations`, 'GET', undefined, { key: tenant.key })
    await other.stop()
    await expect.poll(() => requestsOf(tenant, 'locations.list'), WRITTEN).toBe(7)
  })

  it('counts no call of the dashboard, and none of another tenant', async ({ service, tenant, expect }) => {
    const client = await signedIn(service.url, tenant.key)
    await client.call('GET', '/warehouses')
    const other = await service.newTenant()
    await other.request('GET', '/warehouses')
    await tenant.request('GET', '/orders')
    await expect.poll(() => requestsOf(tenant, 'orders.list'), WRITTEN).toBe(1)
    expect((await usageOf(tenant)).map(({ operation }) => operation)).not.toContain('warehouses.list')
  })

  it('has a range of at most 31 days', async ({ tenant }) => {
    const refused = async (query: string) => (await tenant.request('GET', `/reports/usage?${query}`)).body.error
    expect(await refused('')).toMatchObject({ code: 'validation_error', message: 'since: is required' })
    const message = 'since: must be at most 31 days before until'
    expect(await refused(`since=${daysAgo(32)}`)).toMatchObject({ code: 'validation_error', message })
    expect(await refused('since=2026-01-01&until=2026-02-02')).toMatchObject({ code: 'validation_error', message })
    expect((await tenant.request('GET', '/reports/usage?since=2026-01-01&until=2026-01-31')).body.data).toEqual({ hours: [] })
  })

  it('is the same text in every entry, over REST, tRPC and as a tool', async ({ service, tenant, expect }) => {
    const counts = { client_errors: 2, limited: 0, server_errors: 3 }
    // Of the last 90 days: older ones are removed meanwhile.
    const day = daysAgo(10).slice(0, 'yyyy-mm-dd'.length)
    const at = [`${day}T09:00:00.000Z`, `${day}T10:00:00.000Z`] as const
    const hours = [
      { at: at[0], key_id: 9, operation: 'orders.list', requests: 100, ...counts },
      { at: at[1], key_id: 9, operation: 'a "quoted",\n{name} \\ — ü', requests: 5, ...counts },
      { at: at[1], key_id: 9, operation: 'b', requests: 9_007_199_254_740_991, ...counts },
      { at: at[1], key_id: 10, operation: 'a', requests: 1, ...counts },
    ]
    for (const hour of hours.toReversed())
      await service.db.dedicatedPool.query(
        `insert into usage_hours (tenant_id, at, key_id, operation, requests, client_errors, limited, server_errors) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [tenant.id, ...Object.values(hour)],
      )
    const range = { since: day, until: day }
    const path = `reports/usage?since=${range.since}&until=${range.until}`
    const response = await fetch(`${tenant.url}/api/v1/${path}`, { headers: { 'x-api-key': tenant.key } })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(await response.text()).toBe(JSON.stringify({ success: true, data: { hours } }))
    const client = await signedIn(service.url, tenant.key)
    expect((await client.call('GET', `/${path}`)).body).toEqual({ success: true, data: { hours } })
    const input = encodeURIComponent(JSON.stringify(range))
    const { body } = await send(`${tenant.url}/trpc/reports.usage?input=${input}`, 'GET', undefined, { key: tenant.key })
    expect(body).toEqual({ result: { data: { hours } } })
    const agent = await connectAgent(tenant)
    expect(await agent.call('reports_usage', range)).toEqual({ hours })
    await agent.close()
  })

  it('asks for a shorter range when there is too much', async ({ service, tenant }) => {
    // Older hours are removed meanwhile.
    const day = daysAgo(10).slice(0, 10)
    await insertHours(service, tenant, 20_001, day)
    const long = await tenant.request('GET', `/reports/usage?since=${daysAgo(20)}`)
    expect([long.status, long.body.error.message]).toEqual([
      400,
      'since: more than 20000 entries; ask for fewer days or one key_id',
    ])
    const short = await tenant.request('GET', `/reports/usage?since=${new Date(Date.parse(day) - 4 * 3_600_000).toISOString()}`)
    expect(short.body.data.hours).toHaveLength(4 * 3_600)
  })

  it('forgets after 90 days', async ({ service, startService, tenant, expect }) => {
    await insertHours(service, tenant, 3, daysAgo(91))
    await insertHours(service, tenant, 2, daysAgo(89))
    await startService({ databaseUrl: service.databaseUrl })
    const kept = async () =>
      (await service.db.dedicatedPool.query('select 1 from usage_hours where tenant_id = $1', [tenant.id])).rowCount
    await expect.poll(kept).toBe(2)
  })
})
