import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { sendRaw } from '../support/send-raw.ts'
import { send, type TestService } from '../support/service.ts'
import { atMost } from '../support/patience.ts'

const it = base.extend('settings', { scope: 'file' }, { trustProxy: 1 })

const api = (service: TestService, path: string): string => `${service.url}/api/v1${path}`

describe('expires_at', () => {
  it.for([
    '9999-12-31T23:59:59-12:00',
    '0001-01-01T00:00:00+10:00',
    '0000-01-01T00:00:00Z',
    '2027-13-01',
    'tomorrow',
    '2026-12-01T00:00:00',
    5,
  ])('of %s is refused, and no key is made', async (expires_at, { tenant }) => {
    const response = await tenant.request('POST', '/api-keys', { name: 'x', preset: 'read_only', expires_at })
    expect([response.status, response.body.error.code, response.body.error.details[0].path]).toEqual([
      400,
      'validation_error',
      'expires_at',
    ])
    expect(response.body.error.message).toMatch(/date YYYY-MM-DD.*timestamp with its offset/)
    expect((await tenant.request('GET', '/api-keys')).body.data.api_keys).toHaveLength(1)
  })

  it('is converted to UTC', async ({ tenant }) => {
    const { body } = await tenant.request('POST', '/api-keys', {
      name: 'x',
      preset: 'read_only',
      expires_at: '2030-01-01T00:00:00+23:00',
    })
    expect(body.data.expires_at).toBe('2029-12-31T01:00:00.000Z')
  })
})

it.for([
  ['garbage', false],
  ['999.1.1.1', false],
  ['0x09.9.9.9', false],
  ['', false],
  ['9.9.9.9', true],
  ['9.9.9.9:1234', true],
  ['[2001:db8::1]', true],
  ['[2001:db8::1]:80', true],
] as const)('with an allow-list, a client reported as "%s" is let in: %s', async ([address, allowed], { tenant }) => {
  const key = await tenant.createKey({ ip_whitelist: ['9.9.9.9', '2001:db8::/64'] })
  const response = await tenant.request('GET', '/api-keys', undefined, { key, headers: { 'x-forwarded-for': address } })
  expect(response.status).toBe(allowed ? 200 : 403)
})

it('OPTIONS without preflight headers is an unknown method or route', async ({ service }) => {
  const known = await send(api(service, '/orders'), 'OPTIONS', undefined, {})
  expect([known.status, known.body.error.code, known.headers.get('allow')]).toEqual([
    405,
    'method_not_allowed',
    'POST, GET, HEAD',
  ])
  const unknown = await send(api(service, '/nowhere'), 'OPTIONS', undefined, {})
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
})

it('an undecodable path is handled as an invalid id by the same endpoint', async ({ service, tenant: { key } }) => {
  for (const part of ['%ZZ', '%FF', '%E0%A4%A', '%']) {
    const withoutKey = await send(api(service, `/orders/${part}`), 'GET', undefined, {})
    expect([withoutKey.status, withoutKey.headers.get('x-request-id')]).toEqual([401, expect.any(String)])
    const id = await send(api(service, `/orders/${part}?page=1`), 'GET', undefined, { key })
    expect([id.status, id.body.error.code]).toEqual([400, 'invalid_id'])
    const sku = await send(api(service, `/products/sku/${part}`), 'GET', undefined, { key })
    expect([sku.status, sku.body.error.code]).toEqual([404, 'not_found'])
  }
})

it('a request without Host or with Expect gets a response in the envelope', async ({ service }) => {
  for (const headers of ['', 'Host: a\r\nExpect: foo\r\n']) {
    const response = await sendRaw(service.url, `GET /api/v1/orders HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`)
    expect(response).toMatch(/^HTTP\/1\.1 401 /)
    expect(response.toLowerCase()).toContain('x-request-id: ')
    expect(response).toContain('"code":"missing_api_key"')
  }
})

describe('a query number above the largest integer', () => {
  const HUGE = ['9007199254740992', '99999999999999999', '9'.repeat(400)]
  const LISTS = [
    '/orders',
    '/orders?customer_name=x',
    '/orders?assembly_date=2026-01-01',
    '/stock/movements',
    '/products',
    '/flows',
  ]
  const PAGED = [...LISTS, '/orders?start_date=2026-01-01', '/flows?state=started', '/locations', '/warehouses']

  it.for(PAGED)('is a page past the end, and a limit of 100, of %s', async (path, { tenant }) => {
    const get = async (query: string) => {
      const { status, body } = await tenant.request('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`)
      const records = Object.values(body.data ?? {}).find(Array.isArray)
      return { status, records, pagination: body.data?.pagination }
    }
    for (const number of HUGE) {
      expect((await get(`limit=${number}`)).pagination?.limit).toBe(100)
      const past = await get(`page=${number}&limit=100`)
      expect(past).toMatchObject({ status: 200, records: [], pagination: { page: Number.MAX_SAFE_INTEGER } })
    }
    expect((await get('limit=00000000000000005&page=00000000000000001')).pagination).toMatchObject({ limit: 5, page: 1 })
  })

  it.for([
    '/stock/movements?product_id=',
    '/stock/movements?order_id=',
    '/flows?order_id=',
    '/audit-log?key_id=',
    '/stock/reconcile?after=',
  ])('is the id of no record: %s', async (path, { tenant }) => {
    for (const number of HUGE) expect((await tenant.request('GET', path + number)).status).toBe(200)
  })
})

describe('tRPC', () => {
  const call = async (service: TestService, path: string, init: RequestInit, key: string) => {
    const response = await fetch(`${service.url}/trpc/${path}`, {
      ...init,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
    const body = (await response.json()) as { error?: { message: string; data: { error_code: string } } }
    return [response.status, body.error?.data.error_code]
  }

  it('uses the API’s error codes for client and server errors', async ({ service, tenant: { key } }) => {
    expect(await call(service, 'apiKeys.create', { method: 'POST', body: '{' }, key)).toEqual([400, 'validation_error'])
    expect(await call(service, 'apiKeys.get?input=%7Bbad', { method: 'GET' }, key)).toEqual([400, 'validation_error'])
    expect(await call(service, 'no.such', { method: 'GET' }, key)).toEqual([404, 'not_found'])
    expect(await call(service, 'apiKeys.list', { method: 'POST', body: '{}' }, key)).toEqual([405, 'method_not_allowed'])
  })

  it('refuses an Idempotency-Key, which it would ignore', async ({ service, tenant: { key } }) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': 'k' }
    const body = JSON.stringify({ name: 'New' })
    const response = await fetch(`${service.url}/trpc/products.create`, { method: 'POST', body, headers })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { message: 'Idempotency-Key is not supported by /trpc; use /api/v1' } },
    ])
    expect((await fetch(`${service.url}/trpc/apiKeys.list?input=%7B%7D`, { headers })).status).toBe(200)
  })

  it('says that the input is missing', async ({ service, tenant: { key } }) => {
    const response = await fetch(`${service.url}/trpc/orders.list`, { headers: { 'x-api-key': key } })
    expect(await response.json()).toMatchObject({ error: { message: 'The input is required' } })
  })

  it('rejects bodies that would take long to validate', async ({ service, tenant: { key } }) => {
    const body = JSON.stringify({ name: 'x', scopes: Array.from({ length: 400_000 }, () => 'x') })
    const started = performance.now()
    const response = await fetch(`${service.url}/trpc/apiKeys.create`, {
      method: 'POST',
      body,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    })
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { message: string; data: { error_code: string } } }
    expect([error.data.error_code, error.message]).toEqual([
      'validation_error',
      'The body has an array or object of more than 10000 items',
    ])
    expect(performance.now() - started).toBeLessThan(atMost(5_000))
  })
})
