import { describe, expect, test } from 'vitest'
import { APIError } from '../../sdk/src/client/api-error.ts'
import { ConnectionError, TimeoutError } from '../../sdk/src/client/connection-error.ts'
import { parseRetryAfter, retryDelayMs } from '../../sdk/src/client/retry-delay.ts'
import { clientFor, rejection } from './client.ts'
import { failure, scriptedServer, success } from './scripted-server.ts'

describe('a call is tried again', () => {
  test.each([408, 429, 500, 502, 503, 504])('after %i', async (status) => {
    const { baseUrl, requests } = await scriptedServer(failure(status, 'internal_error'), { body: success({ id: 1 }) })
    expect(await clientFor(baseUrl).orders.get(1)).toEqual({ id: 1 })
    expect(requests).toHaveLength(2)
  })

  test('after a broken connection', async () => {
    const { baseUrl, requests } = await scriptedServer((response) => response.destroy(), { body: success({ id: 1 }) })
    expect(await clientFor(baseUrl).orders.get(1)).toEqual({ id: 1 })
    expect(requests).toHaveLength(2)
  })

  test('after an answer that breaks off', async () => {
    const { baseUrl, requests } = await scriptedServer(
      (response) => response.writeHead(200, { 'Content-Length': '100' }).write('{"succ', () => response.destroy()),
      { body: success({ id: 1 }) },
    )
    expect(await clientFor(baseUrl).orders.get(1)).toEqual({ id: 1 })
    expect(requests).toHaveLength(2)
  })

  test.each([
    [undefined, 3],
    [0, 1],
    [1, 2],
    [4, 5],
  ])('with maxRetries %s in %i attempts', async (maxRetries, attempts) => {
    const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable'))
    const error = await rejection(clientFor(baseUrl, { maxRetries }).orders.get(1))
    expect(error).toMatchObject({ code: 'service_unavailable' })
    expect(requests).toHaveLength(attempts)
  })

  test('as often as the call says, whatever the client says', async () => {
    const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable'))
    await rejection(clientFor(baseUrl, { maxRetries: 5 }).orders.get(1, { maxRetries: 1 }))
    expect(requests).toHaveLength(2)
  })

  test('no sooner than Retry-After says', async () => {
    const { baseUrl } = await scriptedServer(failure(429, 'rate_limit_exceeded', '', { 'Retry-After': '1' }), {})
    const startedAt = performance.now()
    await clientFor(baseUrl).orders.get(1)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(995)
  })
})

describe('a call is not tried again', () => {
  test.each([400, 401, 403, 404, 405, 409, 413, 415])('after %i', async (status) => {
    const { baseUrl, requests } = await scriptedServer(failure(status, 'validation_error'))
    expect(await rejection(clientFor(baseUrl).orders.create([]))).toMatchObject({ status })
    expect(requests).toHaveLength(1)
  })

  test('when the server asks for more than a minute of patience; the error says how much', async () => {
    const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable', '', { 'Retry-After': '61' }))
    expect(await rejection(clientFor(baseUrl).orders.get(1))).toMatchObject({ retryAfterMs: 61_000 })
    expect(requests).toHaveLength(1)
  })
})

describe('Idempotency-Key', () => {
  test('is the same in all attempts of a POST, and another in the next call', async () => {
    const { baseUrl, requests } = await scriptedServer(failure(500, 'internal_error'), (response) => response.destroy(), {})
    const client = clientFor(baseUrl)
    await client.orders.create([])
    await client.orders.create([])
    const [first, second, third, next] = requests.map(({ headers }) => headers['idempotency-key'])
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect([second, third]).toEqual([first, first])
    expect(next).toMatch(/^[0-9a-f]{32}$/)
    expect(next).not.toBe(first)
  })

  test('may be your own', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.create([], { idempotencyKey: 'import-2026-01-31' })
    expect(requests[0]!.headers['idempotency-key']).toBe('import-2026-01-31')
  })

  test.each(['Idempotency-Key', 'idempotency-key'])(
    'may be your own in the header %s too, which hooks are told',
    async (name) => {
      const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable'), {})
      const told: unknown[] = []
      const hooks = { onRequest: ({ idempotencyKey }: { idempotencyKey: string | undefined }) => void told.push(idempotencyKey) }
      await clientFor(baseUrl, { hooks }).orders.create([], { headers: { [name]: 'import-7' } })
      expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['import-7', 'import-7'])
      expect(told).toEqual(['import-7', 'import-7'])
    },
  )

  test('of the options goes before one among the headers', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.create([], { idempotencyKey: 'mine', headers: { 'Idempotency-Key': 'other' } })
    expect(requests[0]!.headers['idempotency-key']).toBe('mine')
  })

  test('is random when the header is there without a value', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.create([], { headers: { 'Idempotency-Key': undefined as unknown as string } })
    expect(requests[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  })

  test('is not sent where the method is safe to repeat by itself', async () => {
    const { baseUrl, requests } = await scriptedServer()
    const client = clientFor(baseUrl)
    await client.orders.get(1)
    await client.orders.update(1, {})
    await client.products.delete(1)
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual([undefined, undefined, undefined])
  })
})

describe('the delay', () => {
  const unavailable = (retryAfterMs?: number) =>
    new APIError({ status: 503, code: 'service_unavailable', message: '', retryAfterMs })

  test.each([
    [1, 500, 1_000],
    [2, 1_000, 2_000],
    [3, 2_000, 4_000],
    [4, 4_000, 8_000],
    [9, 4_000, 8_000],
  ])('after %i failures lies between %i and %i ms, and varies', (failures, least, most) => {
    for (const error of [unavailable(), new ConnectionError(''), new TimeoutError('')]) {
      const delays = Array.from({ length: 50 }, () => retryDelayMs(error, failures)!)
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(least)
      expect(Math.max(...delays)).toBeLessThanOrEqual(most)
      expect(new Set(delays).size).toBeGreaterThan(1)
    }
  })

  test('is what Retry-After says, up to a minute', () => {
    expect(retryDelayMs(unavailable(0), 1)).toBe(0)
    expect(retryDelayMs(unavailable(60_000), 1)).toBe(60_000)
    expect(retryDelayMs(unavailable(60_001), 1)).toBeUndefined()
  })

  test('exists for no other error', () => {
    expect(retryDelayMs(new Error('a bug'), 1)).toBeUndefined()
    expect(
      retryDelayMs(new APIError({ status: 409, code: 'idempotency_conflict', message: '', retryAfterMs: 1 }), 1),
    ).toBeUndefined()
  })

  test.each([
    [null, undefined],
    ['', undefined],
    ['0', 0],
    ['2', 2_000],
    ['-5', 0],
    ['soon', undefined],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Wed, 31 Dec 2025 23:59:50 GMT', 0],
  ])('of the header %j is %s', (header, ms) => {
    expect(parseRetryAfter(header, Date.parse('2026-01-01T00:00:00Z'))).toBe(ms)
  })
})
