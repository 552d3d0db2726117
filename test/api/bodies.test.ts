import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { newOrder } from '../support/orders.ts'
import { sendRaw } from '../support/send-raw.ts'
import { atMost } from '../support/patience.ts'
import { jsonHeaders, post } from './post.ts'

const it = base.extend('settings', { scope: 'file' }, { bodyLimitBytes: 4_096 })

describe('bodies', () => {
  it('rejects malformed JSON, invalid UTF-8 and JSON of another type with a clear message', async ({
    service,
    tenant: { key },
  }) => {
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
      const response = await post(service, '/api-keys', jsonHeaders(key), body)
      expect(response).toMatchObject({ status: 400, code: 'validation_error' })
      expect(response.message).toMatch(message)
    }
  })

  it('ignores unknown fields, even hostile ones', async ({ service, tenant: { key } }) => {
    const response = await post(
      service,
      '/api-keys',
      jsonHeaders(key),
      '{"name":"a","preset":"read_only","__proto__":{"x":1},"constructor":5,"extra\\u0000":1}',
    )
    expect(response.status).toBe(200)
  })

  it('rejects deep nesting and too many items early', async ({ startService }) => {
    const big = await startService()
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

  it('rejects a body that is not JSON, compressed or too large', async ({ service, tenant: { key } }) => {
    const body = '{"name":"a","preset":"read_only"}'
    expect(await post(service, '/api-keys', { 'x-api-key': key, 'content-type': 'text/plain' }, body)).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    })
    expect(await post(service, '/api-keys', { 'x-api-key': key }, new TextEncoder().encode(body))).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
    })
    expect(await post(service, '/api-keys', { ...jsonHeaders(key), 'content-encoding': 'gzip' }, body)).toMatchObject({
      status: 415,
    })
    expect(await post(service, '/api-keys', jsonHeaders(key), JSON.stringify({ name: 'x'.repeat(5_000) }))).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    })
    expect(
      (await post(service, '/api-keys', { ...jsonHeaders(key), 'content-type': 'application/json; charset=utf-8' }, body)).status,
    ).toBe(200)
  })
})

it('a small body sent in chunks does not wait for others that have not arrived yet', async ({ startService }) => {
  const { url, newTenant } = await startService()
  const { key } = await newTenant()
  const begin = () => {
    const sent = request(`${url}/api/v1/api-keys`, { method: 'POST', agent: false, headers: jsonHeaders(key) })
    sent.on('error', () => {})
    sent.write('{"preset":"read_only",')
    const finish = async (): Promise<number | undefined> => {
      sent.end('"name":"a"}')
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    }
    return { finish }
  }
  const unfinished = Array.from({ length: 20 }, begin)
  expect(await begin().finish()).toBe(200)
  expect(await Promise.all(unfinished.map(({ finish }) => finish()))).toEqual(unfinished.map(() => 200))
})

describe('an empty body', () => {
  const TYPES = ['foo', '/', 'json', ';', '', 'text/plain', 'application/json', 'application/json; charset=utf-8']

  it('counts as no body, with any content type', async ({ service, tenant }) => {
    const { id } = await newOrder(tenant)
    for (const type of TYPES) {
      for (const length of ['content-length: 0\r\n\r\n', 'transfer-encoding: chunked\r\n\r\n0\r\n\r\n']) {
        const head = `POST /api/v1/orders/${id}/cancel HTTP/1.1\r\nx-api-key: ${tenant.key}\r\nconnection: close\r\n`
        const response = await sendRaw(service.url, `${head}content-type: ${type}\r\n${length}`)
        expect([type, response.slice(0, 12)]).toEqual([type, 'HTTP/1.1 200'])
      }
    }
  })

  it('differs from a body of one character, whose content type is checked', async ({ service, tenant }) => {
    for (const type of TYPES.slice(0, 6)) {
      const response = await post(service, '/orders/1/cancel', { 'x-api-key': tenant.key, 'content-type': type }, '1')
      const message =
        type === '' ? 'Content-Type is missing; send application/json' : `Content-Type must be application/json, not ${type}`
      expect(response).toMatchObject({ status: 415, message })
    }
  })
})
