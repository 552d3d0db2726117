import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'

const it = base.extend('settings', { scope: 'file' }, { rateLimitPerMinute: 20, trustProxy: 1 })

describe('API key validation', () => {
  it('rejects an expired key, and accepts one that expires later today', async ({ tenant }) => {
    const expired = await tenant.createKey({ expires_at: new Date(Date.now() - 1_000).toISOString() })
    const refused = await tenant.request('GET', '/api-keys', undefined, { key: expired })
    expect([refused.status, refused.body.error.code]).toEqual([401, 'expired_api_key'])
    const today = new Date().toISOString().slice(0, 10)
    const { body } = await tenant.request('POST', '/api-keys', { name: 'today', scopes: ['admin'], expires_at: today })
    expect(body.data.expires_at).toBe(`${today}T23:59:59.999Z`)
    expect((await tenant.request('GET', '/api-keys', undefined, { key: body.data.key })).status).toBe(200)
  })

  it.for([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['::ffff:10.0.0.0/104', '10.9.9.9', true],
    ['::ffff:a00:0/104', '10.9.9.9', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.7', '::ffff:192.0.2.7', true],
    ['192.0.2.7', '192.0.2.8', false],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
  ] as const)('with the allow-list %s lets %s in: %s', async ([entry, address, allowed], { tenant }) => {
    const key = await tenant.createKey({ ip_whitelist: [entry] })
    const response = await tenant.request('GET', '/api-keys', undefined, { key, headers: { 'x-forwarded-for': address } })
    expect([response.status, response.body.error?.code]).toEqual(allowed ? [200, undefined] : [403, 'ip_not_allowed'])
  })

  it('trusts only the configured number of proxies', async ({ tenant }) => {
    const key = await tenant.createKey({ ip_whitelist: ['10.0.0.1'] })
    const forged = await tenant.request('GET', '/api-keys', undefined, {
      key,
      headers: { 'x-forwarded-for': '10.0.0.1, 203.0.113.9' },
    })
    expect(forged.body.error?.code).toBe('ip_not_allowed')
  })

  it('rejects entries that are not an address or range', async ({ tenant }) => {
    for (const entry of ['10.0.0.256', '10.0.0.0/33', '::1/129', 'host.example', '10.0.0.0/', '010.0.0.1', '']) {
      const response = await tenant.request('POST', '/api-keys', { name: 'a', preset: 'read_only', ip_whitelist: [entry] })
      expect([entry, response.status, response.body.error.code]).toEqual([entry, 400, 'validation_error'])
    }
    expect((await tenant.request('POST', '/api-keys', { name: 'a', preset: 'read_only', ip_whitelist: [] })).status).toBe(200)
  })

  it('cannot grant scopes that the creator lacks, and does not list another tenant’s keys', async ({ service }) => {
    const [tenant, other] = [await service.newTenant(), await service.newTenant()]
    const { body } = await tenant.request('GET', '/api-keys')
    const { id } = body.data.api_keys[0]
    for (const method of ['GET', 'DELETE']) {
      const response = await other.request(method, `/api-keys/${id}`)
      expect([response.status, response.body.error.code]).toEqual([404, 'not_found'])
    }
    expect((await tenant.request('GET', `/api-keys/${id}`)).body.data.revoked_at).toBeNull()
  })
})

describe('sandbox keys', () => {
  it('use separate data, and cannot access live data', async ({ tenant }) => {
    const { body } = await tenant.request('POST', '/api-keys', { name: 'sandbox', scopes: ['admin'], mode: 'test' })
    const key = body.data.key
    expect(key).toMatch(/^service_test_/)
    const seen = await tenant.request('GET', '/api-keys', undefined, { key })
    expect(seen.body.data.api_keys.map((entry: { mode: string }) => entry.mode)).toEqual(['test'])
    const live = await tenant.request('POST', '/api-keys', { name: 'escape', scopes: ['admin'], mode: 'live' }, { key })
    expect([live.status, live.body.error.code]).toEqual([400, 'validation_error'])
    const byDefault = await tenant.request('POST', '/api-keys', { name: 'another', scopes: ['admin'] }, { key })
    expect(byDefault.body.data.mode).toBe('test')
  })
})

describe('rate limit', () => {
  it('counts the requests of a key, reports the count in headers, and rejects requests above the limit', async ({ tenant }) => {
    const first = await tenant.request('GET', '/api-keys')
    expect(first.headers.get('ratelimit-limit')).toBe('20')
    expect(first.headers.get('ratelimit-remaining')).toBe('19')
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0)
    const responses = await Promise.all(Array.from({ length: 22 }, () => tenant.request('GET', '/api-keys/abc')))
    const refused = responses.filter((response) => response.status === 429)
    expect(refused).toHaveLength(3)
    expect(refused[0]?.body.error.code).toBe('rate_limit_exceeded')
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused[0]?.headers.get('ratelimit-remaining')).toBe('0')
    const otherKey = await tenant.createKey()
    expect((await tenant.request('GET', '/api-keys', undefined, { key: otherKey })).status).toBe(200)
  })

  it('counts a request before its scope is checked', async ({ tenant }) => {
    const key = await tenant.createKey({ scopes: ['read:orders'] })
    const response = await tenant.request('GET', '/api-keys', undefined, { key })
    expect([response.status, response.headers.get('ratelimit-remaining')]).toEqual([403, '19'])
  })

  it('cannot be bypassed with a batch of tRPC calls', async ({ service, tenant }) => {
    const batch = await fetch(`${service.url}/trpc/warehouses.list,warehouses.list?batch=1`, {
      headers: { 'x-api-key': tenant.key },
    })
    expect(batch.status).toBe(400)
    await batch.body?.cancel()
    const single = await fetch(`${service.url}/trpc/warehouses.list?input=%7B%7D`, { headers: { 'x-api-key': tenant.key } })
    expect([single.status, single.headers.get('ratelimit-remaining')]).toEqual([200, '18'])
    await single.body?.cancel()
  })
})
