import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEncryption } from '../../server/src/encryption.ts'
import { newOrder } from '../support/orders.ts'
import { sendRaw } from '../support/send-raw.ts'
import { send, startService, type TestService } from '../support/service.ts'
import { atMost } from '../support/patience.ts'

let service: TestService
let big: TestService
beforeAll(async () => {
  service = await startService({ bodyLimitBytes: 4_096 })
  big = await startService()
})
afterAll(async () => {
  await service.stop()
  await big.stop()
})

const api = (path: string): string => `${service.url}/api/v1${path}`
const jsonHeaders = (key: string): Record<string, string> => ({ 'x-api-key': key, 'content-type': 'application/json' })

async function post(
  path: string,
  headers: Record<string, string>,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<{ status: number; code: string; message: string }> {
  const response = await fetch(api(path), { method: 'POST', headers, body })
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return { status: response.status, code: error?.code ?? '', message: error?.message ?? '' }
}

describe('envelope and request ids', () => {
  it('gives every answer a request id, the caller’s own when it is fit for logs', async () => {
    const tenant = await service.newTenant()
    const own = await tenant.request('GET', '/api-keys', undefined, { headers: { 'x-request-id': 'job:42.a-b_c' } })
    expect(own.headers.get('x-request-id')).toBe('job:42.a-b_c')
    for (const unfit of ['with space', 'x'.repeat(129), 'semi;colon']) {
      const generated = await tenant.request('GET', '/api-keys', undefined, { headers: { 'x-request-id': unfit } })
      expect(generated.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
    expect((await send(`${service.url}/nowhere`, 'GET', undefined, {})).headers.get('x-request-id')).toBeTruthy()
  })

  it('answers what is not HTTP in the envelope, with a request id', async () => {
    const answer = await sendRaw(service.url, 'GARBAGE\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/X-Request-Id: \S+/)
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ success: false, error: { code: 'validation_error' } })
  })

  it('says how long headers and URL may be', async () => {
    const long = 'x'.repeat(20_000)
    for (const request of [`GET / HTTP/1.1\r\nx-long: ${long}`, `GET /${long} HTTP/1.1`]) {
      const answer = await sendRaw(service.url, `${request}\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer).toMatch(/"code":"validation_error","message":".*16384 bytes/)
    }
  })

  it('answers HEAD like GET, without the body', async () => {
    const tenant = await service.newTenant()
    const head = await tenant.request('HEAD', '/api-keys')
    const get = await tenant.request('GET', '/api-keys')
    expect([head.status, head.body, head.headers.get('content-length')]).toEqual([
      200,
      undefined,
      get.headers.get('content-length'),
    ])
  })

  it('allows other origins to read answers and their headers', async () => {
    const response = await fetch(api('/api-keys'), { headers: { origin: 'https://shop.example' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Request-Id')
    const preflight = await fetch(api('/orders'), {
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
  it('looks for the route before the key', async () => {
    const unknown = await send(api('/nowhere'), 'GET', undefined, {})
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
    const wrongMethod = await send(api('/orders/1'), 'DELETE', undefined, {})
    expect([wrongMethod.status, wrongMethod.body.error.code]).toEqual([405, 'method_not_allowed'])
    expect(wrongMethod.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'PUT'])
  })

  it('tells a caller without a valid key nothing about the input', async () => {
    for (const body of ['{', '[]', '{"name":""}', 'x'.repeat(10_000)]) {
      expect(await post('/api-keys', { 'content-type': 'application/json' }, body)).toMatchObject({
        status: 401,
        code: 'missing_api_key',
      })
      expect(await post('/api-keys', { 'content-type': 'text/plain', 'x-api-key': '' }, body)).toMatchObject({
        status: 401,
        code: 'missing_api_key',
      })
    }
    const unknown = `service_live_${'x'.repeat(43)}`
    for (const key of [unknown, 'nonsense', `Service_live_${'x'.repeat(43)}`, `service_live_${'x'.repeat(10_000)}`]) {
      expect(await post('/api-keys', jsonHeaders(key), '{')).toMatchObject({ status: 401, code: 'invalid_api_key' })
    }
  })

  it('checks the scope before the input, and names it', async () => {
    const tenant = await service.newTenant()
    const key = await tenant.createKey({ scopes: ['read:orders'] })
    const refused = await post('/api-keys', jsonHeaders(key), '{')
    expect(refused).toMatchObject({ status: 403, code: 'insufficient_scope' })
    expect(refused.message).toContain('admin')
  })
})

describe('bodies', () => {
  it('refuses malformed JSON, invalid UTF-8 and JSON of another type, and says so', async () => {
    const { key } = await service.newTenant()
    const cases: [string | Uint8Array<ArrayBuffer>, RegExp][] = [
      ['{', /JSON/],
      ['{"name":1e999}', /name/],
      [new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), /UTF-8/],
      ['[]', /object/],
      ['null', /object/],
      ['"text"', /object/],
      ['{"name":"a\\u0000b","preset":"read_only"}', /name.*U\+0000/],
      ['{"name":"a\\ud800","preset":"read_only"}', /name.*surrogate/],
      ['{"name":{},"preset":"read_only"}', /name/],
      ['{"preset":"read_only"}', /name.*required/],
    ]
    for (const [body, message] of cases) {
      const answer = await post('/api-keys', jsonHeaders(key), body)
      expect(answer).toMatchObject({ status: 400, code: 'validation_error' })
      expect(answer.message).toMatch(message)
    }
  })

  it('ignores fields that it does not know, even hostile ones', async () => {
    const { key } = await service.newTenant()
    const answer = await post(
      '/api-keys',
      jsonHeaders(key),
      '{"name":"a","preset":"read_only","__proto__":{"x":1},"constructor":5,"extra\\u0000":1}',
    )
    expect(answer.status).toBe(200)
  })

  it('refuses what is nested too deep or has too many items, before it costs anything', async () => {
    const { key } = await big.newTenant()
    const deep = `{"name":"a","preset":"read_only","x":${'['.repeat(64)}${']'.repeat(64)}}`
    const many = `{"name":"a","scopes":[${Array(1_000_000).fill('1').join()}]}`
    for (const [body, message] of [
      [deep, /deeper than 64/],
      [many, /more than 10000 items/],
    ] as const) {
      const startedAt = performance.now()
      const response = await fetch(`${big.url}/api/v1/api-keys`, { method: 'POST', headers: jsonHeaders(key), body })
      const { error } = (await response.json()) as { error: { code: string; message: string } }
      expect([response.status, error.code]).toEqual([400, 'validation_error'])
      expect(error.message).toMatch(message)
      expect(performance.now() - startedAt).toBeLessThan(atMost(1_000))
    }
    const fits = `{"name":"[[[[","preset":"read_only","x":${'['.repeat(63)}"\\""${']'.repeat(63)},"y":[${Array(10_000).fill('1').join()}]}`
    const response = await fetch(`${big.url}/api/v1/api-keys`, { method: 'POST', headers: jsonHeaders(key), body: fits })
    expect(response.status).toBe(200)
  })

  it('refuses a body that is not JSON, or compressed, or too large', async () => {
    const { key } = await service.newTenant()
    const body = '{"name":"a","preset":"read_only"}'
    expect(await post('/api-keys', { 'x-api-key': key, 'content-type': 'text/plain' }, body)).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    })
    expect(await post('/api-keys', { 'x-api-key': key }, new TextEncoder().encode(body))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    })
    expect(await post('/api-keys', { ...jsonHeaders(key), 'content-encoding': 'gzip' }, body)).toMatchObject({ status: 415 })
    expect(await post('/api-keys', jsonHeaders(key), JSON.stringify({ name: 'x'.repeat(5_000) }))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    })
    expect(
      (await post('/api-keys', { ...jsonHeaders(key), 'content-type': 'application/json; charset=utf-8' }, body)).status,
    ).toBe(200)
  })
})

describe('an empty body', () => {
  const TYPES = ['foo', '/', 'json', ';', '', 'text/plain', 'application/json', 'application/json; charset=utf-8']

  it('is none, whatever its type', async () => {
    const tenant = await service.newTenant()
    const { id } = await newOrder(tenant)
    for (const type of TYPES) {
      for (const length of ['content-length: 0\r\n\r\n', 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n']) {
        const head = `POST /api/v1/orders/${id}/cancel HTTP/1.1\r\nx-api-key: ${tenant.key}\r\nconnection: close\r\n`
        const answer = await sendRaw(service.url, `${head}content-type: ${type}\r\n${length}`)
        expect([type, answer.slice(0, 12)]).toEqual([type, 'HTTP/1.1 200'])
      }
    }
  })

  it('is not one of a character, of which the type counts', async () => {
    const tenant = await service.newTenant()
    for (const type of TYPES.slice(0, 6)) {
      const answer = await post('/orders/1/cancel', { 'x-api-key': tenant.key, 'content-type': type }, '1')
      expect(answer).toMatchObject({ status: 415, message: expect.stringContaining(type === '' ? 'absent' : type) })
    }
  })
})

describe('paths', () => {
  it('answers hostile path ids with invalid_id', async () => {
    const tenant = await service.newTenant()
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
      const answer = await send(api(`/api-keys/${id}`), 'GET', undefined, { key: tenant.key })
      expect([id, answer.status, answer.body.error.code]).toEqual([id, 400, 'invalid_id'])
    }
    expect((await tenant.request('GET', '/api-keys/9007199254740991')).status).toBe(404)
  })
})

describe('Idempotency-Key', () => {
  it('gives the first answer again, and does the work once', async () => {
    const tenant = await service.newTenant()
    const body = { name: 'once', preset: 'read_only' }
    const headers = { 'idempotency-key': 'create-1' }
    const first = await tenant.request('POST', '/api-keys', body, { headers })
    const second = await tenant.request('POST', '/api-keys', body, { headers })
    expect(second.body).toEqual(first.body)
    expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([null, 'true'])
    expect((await tenant.request('GET', '/api-keys')).body.data.api_keys).toHaveLength(2)
  })

  it('refuses the key with another request, and takes it again after a failure', async () => {
    const tenant = await service.newTenant()
    const headers = { 'idempotency-key': 'create-2' }
    const failed = await tenant.request('POST', '/api-keys', { name: '', preset: 'read_only' }, { headers })
    expect(failed.status).toBe(400)
    expect((await tenant.request('POST', '/api-keys', { name: 'b', preset: 'read_only' }, { headers })).status).toBe(200)
    const conflict = await tenant.request('POST', '/api-keys', { name: 'c', preset: 'read_only' }, { headers })
    expect([conflict.status, conflict.body.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('is refused when its answer cannot be read any more, and nothing is done again', async () => {
    const tenant = await service.newTenant()
    const headers = { 'idempotency-key': 'unreadable' }
    const body = { name: 'once', preset: 'read_only' }
    await tenant.request('POST', '/api-keys', body, { headers })
    await service.db.kysely
      .updateTable('idempotency_keys')
      .set({ answer_ciphertext: createEncryption('the encryption key of before').encrypt('{}') })
      .where('tenant_id', '=', tenant.id)
      .execute()
    const again = await tenant.request('POST', '/api-keys', body, { headers })
    expect([again.status, again.body.error.code, again.headers.get('retry-after')]).toEqual([409, 'idempotency_conflict', null])
    expect(again.body.error.message).toContain('another key')
    expect((await tenant.request('GET', '/api-keys')).body.data.api_keys).toHaveLength(2)
  })

  it('belongs to the tenant', async () => {
    const [one, other] = [await service.newTenant(), await service.newTenant()]
    const headers = { 'idempotency-key': 'shared' }
    const body = { name: 'mine', preset: 'read_only' }
    const first = await one.request('POST', '/api-keys', body, { headers })
    const second = await other.request('POST', '/api-keys', body, { headers })
    expect(second.status).toBe(200)
    expect(second.body.data.key).not.toBe(first.body.data.key)
  })

  it('does the work once when 10 requests come at the same time', async () => {
    const tenant = await service.newTenant()
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        tenant.request('POST', '/api-keys', { name: 'rush', preset: 'read_only' }, { headers: { 'idempotency-key': 'rush' } }),
      ),
    )
    const running = answers.filter((answer) => answer.status === 409)
    expect(answers.filter((answer) => answer.status === 200).length).toBe(10 - running.length)
    for (const { headers, body } of running)
      expect([body.error.code, headers.get('retry-after')]).toEqual(['idempotency_conflict', '1'])
    expect((await tenant.request('GET', '/api-keys')).body.data.api_keys).toHaveLength(2)
  })

  it('takes nothing from others while a receiver that is called does not answer', async () => {
    const tenant = await big.newTenant()
    const receiver = createServer().listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const { id } = (await tenant.request('POST', '/webhooks', { name: 'slow', url, events: ['*'] })).body.data
    const test = (key: string) => tenant.request('POST', `/webhooks/${id}/test`, {}, { headers: { 'idempotency-key': key } })
    const underWay = Array.from({ length: 12 }, (_, n) => test(`slow-${n}`))
    await delay(500)
    const again = await test('slow-0')
    expect([again.status, again.body.error.code, again.headers.get('retry-after')]).toEqual([409, 'idempotency_conflict', '1'])
    const startedAt = performance.now()
    expect((await tenant.request('POST', '/products/bulk', { products: [] })).status).toBe(200)
    expect((await tenant.request('POST', '/stock/bulk', { updates: [] })).status).toBe(200)
    expect((await tenant.request('GET', '/stock/reconcile')).status).toBe(200)
    expect(performance.now() - startedAt).toBeLessThan(atMost(2_000))
    receiver.close()
    receiver.closeAllConnections()
    const answers = await Promise.all(underWay)
    expect(answers.map(({ status, body }) => [status, body.data.state])).toEqual(answers.map(() => [200, 'failed']))
    const replayed = await test('slow-0')
    expect([replayed.headers.get('idempotency-replayed'), replayed.body]).toEqual(['true', answers[0]?.body])
    const other = await tenant.request('POST', '/warehouses', { name: 'a' }, { headers: { 'idempotency-key': 'slow-0' } })
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
  })

  it('must have 1 to 255 characters', async () => {
    const tenant = await service.newTenant()
    for (const key of ['', 'x'.repeat(256)]) {
      const answer = await tenant.request(
        'POST',
        '/api-keys',
        { name: 'a', preset: 'read_only' },
        { headers: { 'idempotency-key': key } },
      )
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error'])
    }
  })

  it('stores no key or secret in the clear', async () => {
    const tenant = await service.newTenant()
    const { body } = await tenant.request(
      'POST',
      '/api-keys',
      { name: 'a', preset: 'read_only' },
      { headers: { 'idempotency-key': 'secret' } },
    )
    const stored = await service.db.kysely.selectFrom('idempotency_keys').selectAll().where('tenant_id', '=', tenant.id).execute()
    expect(stored).toHaveLength(1)
    expect(stored[0]?.answer_ciphertext.toString('latin1')).not.toContain(body.data.key)
  })
})

describe('a server that is told to stop', () => {
  it('answers what is under way, closes its connection, and ends', async () => {
    const stopping = await startService()
    const tenant = await stopping.newTenant()
    // The catalog's lock, which a bulk call waits for.
    const blocker = await stopping.db.pool.connect()
    await blocker.query('select pg_advisory_lock($1::int, 0)', [tenant.id])
    const underWay = fetch(`${stopping.url}/api/v1/products/bulk`, {
      method: 'POST',
      headers: jsonHeaders(tenant.key),
      body: JSON.stringify({ products: [{ barcode: 'b', name: 'Product' }] }),
    })
    await delay(300)
    const begun = performance.now()
    const stopped = stopping.stopServer()
    await delay(200)
    await blocker.query('select pg_advisory_unlock_all()')
    blocker.release()
    const response = await underWay
    expect(response.status).toBe(200)
    expect(response.headers.get('connection')).toBe('close')
    await response.text()
    await stopped
    expect(performance.now() - begun).toBeLessThan(atMost(4_000))
    await stopping.stop()
  })
})
