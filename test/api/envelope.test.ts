import { describe, expect } from 'vitest'
import { it } from '../support/shared-service.ts'
import { sendRaw } from '../support/send-raw.ts'
import { send, type TestService } from '../support/service.ts'
import { jsonHeaders, post } from './post.ts'

const api = (service: TestService, path: string): string => `${service.url}/api/v1${path}`

describe('envelope and request ids', () => {
  it('gives every response a request id: the caller’s if it is safe for logs', async ({ service, tenant }) => {
    const own = await tenant.request('GET', '/api-keys', undefined, { headers: { 'x-request-id': 'job:42.a-b_c' } })
    expect(own.headers.get('x-request-id')).toBe('job:42.a-b_c')
    // Caches do not know that X-API-Key decides what a response contains.
    expect(own.headers.get('cache-control')).toBe('no-store')
    for (const unfit of ['with space', 'x'.repeat(129), 'semi;colon']) {
      const generated = await tenant.request('GET', '/api-keys', undefined, { headers: { 'x-request-id': unfit } })
      expect(generated.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect((await send(`${service.url}/nowhere`, 'GET', undefined, {})).headers.get('x-request-id')).toBeTruthy()
  })

  it('responds to malformed HTTP in the envelope, with a request id', async ({ service }) => {
    const response = await sendRaw(service.url, 'GARBAGE\r\n\r\n')
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response).toMatch(/X-Request-Id: \S+/)
    expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toMatchObject({ success: false, error: { code: 'validation_error' } })
  })

  it('responds to malformed HTTP after the requests before it', async ({ service, tenant }) => {
    const head = (method: string, path: string): string =>
      `${method} /api/v1${path} HTTP/1.1\r\nhost: a\r\nx-api-key: ${tenant.key}\r\n`
    const lists = `${head('GET', '/products')}\r\n${head('GET', '/orders')}\r\n`
    const chunked = `${head('POST', '/products')}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n`
    const parts = async (text: string) =>
      (await sendRaw(service.url, text)).match(/HTTP\/1\.1 \d+|"products":|"orders":|is not valid HTTP"|\}\}$/g)
    const listed = ['HTTP/1.1 200', '"products":', 'HTTP/1.1 200', '"orders":']
    for (const garbage of ['GARBAGE\r\n\r\n', chunked])
      expect(await parts(lists + garbage)).toEqual([...listed, 'HTTP/1.1 400', 'is not valid HTTP"', '}}'])
    // The connection ends with the response to the first request.
    const last = `${head('GET', '/products')}connection: close\r\n\r\nGARBAGE\r\n\r\n`
    expect(await parts(last)).toEqual(['HTTP/1.1 200', '"products":', '}}'])
  })

  it('reports the maximum length of headers and URL', async ({ service }) => {
    const long = 'x'.repeat(20_000)
    for (const request of [`GET / HTTP/1.1\r\nx-long: ${long}`, `GET /${long} HTTP/1.1`]) {
      const response = await sendRaw(service.url, `${request}\r\n\r\n`)
      expect(response).toMatch(/^HTTP\/1\.1 400 /)
      expect(response).toMatch(/"code":"validation_error","message":".*16384 bytes/)
    }
  })

  it('responds to HEAD as to GET, without the body', async ({ tenant }) => {
    const head = await tenant.request('HEAD', '/api-keys')
    const get = await tenant.request('GET', '/api-keys')
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([
      200,
      undefined,
      get.headers.get('content-length'),
    ])
  })

  it('allows other origins to read responses and their headers', async ({ service }) => {
    const response = await fetch(api(service, '/api-keys'), { headers: { origin: 'https://shop.example' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
    const preflight = await fetch(api(service, '/orders'), {
      method: 'OPTIONS',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-api-key'])
  })
})

describe('order of checks', () => {
  it('checks the route before the key', async ({ service }) => {
    const unknown = await send(api(service, '/nowhere'), 'GET', undefined, {})
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
    const wrongMethod = await send(api(service, '/orders/1'), 'DELETE', undefined, {})
    expect([wrongMethod.status, wrongMethod.body.error.code]).toEqual([405, 'method_not_allowed'])
    expect(wrongMethod.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'PUT'])
  })

  it('does not validate input for a caller without a valid key', async ({ service }) => {
    for (const body of ['{', '[]', '{"name":""}', 'x'.repeat(10_000)]) {
      expect(await post(service, '/api-keys', { 'content-type': 'application/json' }, body)).toMatchObject({
        status: 401,
        code: 'missing_api_key',
      })
      expect(await post(service, '/api-keys', { 'content-type': 'text/plain', 'x-api-key': '' }, body)).toMatchObject({
        status: 401,
        code: 'missing_api_key',
      })
    }
    const unknown = `service_live_${'x'.repeat(43)}`
    for (const key of [unknown, 'nonsense', `Service_live_${'x'.repeat(43)}`, `service_live_${'x'.repeat(10_000)}`]) {
      expect(await post(service, '/api-keys', jsonHeaders(key), '{')).toMatchObject({ status: 401, code: 'invalid_api_key' })
    }
  })

  it('checks the scope before the input, and names the missing scope', async ({ service, tenant }) => {
    const key = await tenant.createKey({ scopes: ['read:orders'] })
    const refused = await post(service, '/api-keys', jsonHeaders(key), '{')
    expect(refused).toMatchObject({ status: 403, code: 'insufficient_scope' })
    expect(refused.message).toContain('admin')
  })
})

describe('paths', () => {
  it('responds to hostile path ids with invalid_id', async ({ service, tenant }) => {
    for (const id of [
      'abc',
      '0',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      '9007199254740992',
      '99999999999999999999',
      '%00',
      '%20',
      '1%00',
      '%F0%9F%98%80',
      '١',
      '+1',
    ]) {
      const response = await send(api(service, `/api-keys/${id}`), 'GET', undefined, { key: tenant.key })
      expect([id, response.status, response.body.error.code]).toEqual([id, 400, 'invalid_id'])
    }
    expect((await tenant.request('GET', '/api-keys/9007199254740991')).status).toBe(404)
  })
})
