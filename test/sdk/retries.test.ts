import { describe, expect, test } from 'vitest'
import { APIError, ConnectionError, FulfillmentError, TimeoutError, type FulfillmentClient } from '@fulfillment/sdk'
import { parseRetryAfter, retryDelayMs } from '../../sdk/src/client/retry-delay.ts'
import { clientFor, rejection, skipWaits } from './client.ts'
import { failure, scriptedServer, success } from './scripted-server.ts'

describe('a call is retried', () => {
  test.each([408, 429, 500, 502, 503, 504])('after %i', async (status) => {
    const { baseUrl, requests } = await scriptedServer(failure(status, 'internal_error'), { body: success({ id: 1 }) })
    expect(await clientFor(baseUrl, { hooks: skipWaits() }).orders.get(1)).toEqual({ id: 1 })
    expect(requests).toHaveLength(2)
  })

  test('after a broken connection', async () => {
    const { baseUrl, requests } = await scriptedServer((response) => response.destroy(), { body: success({ id: 1 }) })
    expect(await clientFor(baseUrl).orders.get(1)).toEqual({ id: 1 })
    expect(requests).toHaveLength(2)
  })

  test('after an incomplete response', async () => {
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
    const error = await rejection(clientFor(baseUrl, { maxRetries, hooks: skipWaits() }).orders.get(1))
    expect(error).toMatchObject({ code: 'service_unavailable' })
    expect(requests).toHaveLength(attempts)
  })

  test('as often as the call’s options say, overriding the client’s', async () => {
    const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable'))
    await rejection(clientFor(baseUrl, { maxRetries: 5, hooks: skipWaits() }).orders.get(1, { maxRetries: 1 }))
    expect(requests).toHaveLength(2)
  })

  test.each(['0', '-5', 'Thu, 01 Jan 1970 00:00:00 GMT'])('after a pause, also when Retry-After is %s', async (retryAfter) => {
    const { baseUrl, requests } = await scriptedServer(failure(429, 'rate_limit_exceeded', '', { 'Retry-After': retryAfter }))
    const startedAt = performance.now()
    await rejection(clientFor(baseUrl).orders.get(1))
    expect(requests).toHaveLength(3)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_490)
  })

  test('no sooner than Retry-After says', async () => {
    const { baseUrl } = await scriptedServer(failure(429, 'rate_limit_exceeded', '', { 'Retry-After': '1' }), {})
    const startedAt = performance.now()
    await clientFor(baseUrl).orders.get(1)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(995)
  })
})

describe('a call is not retried', () => {
  test.each([400, 401, 403, 404, 405, 409, 413, 415])('after %i', async (status) => {
    const { baseUrl, requests } = await scriptedServer(failure(status, 'validation_error'))
    expect(await rejection(clientFor(baseUrl).orders.create([]))).toMatchObject({ status })
    expect(requests).toHaveLength(1)
  })

  test('if Retry-After is more than a minute, and the error has the wait', async () => {
    const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable', '', { 'Retry-After': '61' }))
    expect(await rejection(clientFor(baseUrl).orders.get(1))).toMatchObject({ retryAfterMs: 61_000 })
    expect(requests).toHaveLength(1)
  })
})

describe('Idempotency-Key', () => {
  test.each<[string, (client: FulfillmentClient) => PromiseLike<unknown>]>([
    ['POST', (client) => client.orders.create([])],
    ['PUT', (client) => client.orders.update(1, { state_id: 5 })],
    ['DELETE', (client) => client.products.delete(1)],
  ])('is the same in all attempts of a %s, and another in the next call', async (method, call) => {
    const { baseUrl, requests } = await scriptedServer(failure(500, 'internal_error'), (response) => response.destroy(), {})
    const client = clientFor(baseUrl, { hooks: skipWaits() })
    await call(client)
    await call(client)
    expect(new Set(requests.map((request) => request.method))).toEqual(new Set([method]))
    const [first, second, third, next] = requests.map(({ headers }) => headers['idempotency-key'])
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect([second, third]).toEqual([first, first])
    expect(next).toMatch(/^[0-9a-f]{32}$/)
    expect(next).not.toBe(first)
  })

  test('can be passed by the caller', async () => {
    const { baseUrl, requests } = await scriptedServer()
    const client = clientFor(baseUrl)
    await client.orders.create([], { idempotencyKey: 'import-2026-01-31' })
    await client.orders.update(1, {}, { idempotencyKey: 'update-1' })
    await client.products.delete(1, { headers: new Headers({ 'Idempotency-Key': 'delete-1' }) })
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['import-2026-01-31', 'update-1', 'delete-1'])
  })

  test.each(['Idempotency-Key', 'idempotency-key'])(
    'may be your own in the header %s too, which hooks are told',
    async (name) => {
      const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable'), {})
      const told: unknown[] = []
      const hooks = {
        ...skipWaits(),
        onRequest: ({ idempotencyKey }: { idempotencyKey: string | undefined }) => void told.push(idempotencyKey),
      }
      await clientFor(baseUrl, { hooks }).orders.create([], { headers: { [name]: 'import-7' } })
      expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['import-7', 'import-7'])
      expect(told).toEqual(['import-7', 'import-7'])
    },
  )

  test('in the options overrides one in the headers', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.create([], { idempotencyKey: 'mine', headers: { 'Idempotency-Key': 'other' } })
    expect(requests[0]!.headers['idempotency-key']).toBe('mine')
  })

  test('is random if the header has no value', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.create([], { headers: { 'Idempotency-Key': undefined } })
    expect(requests[0]!.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  })

  test('is not sent with a GET, which changes nothing', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.get(1)
    expect(requests[0]!.headers).not.toHaveProperty('idempotency-key')
  })

  test.each(['', ' ', 'k ', 'a\nb', 'schlüssel', 'k'.repeat(256), 7])('%j is rejected before anything is sent', async (key) => {
    const { baseUrl, requests } = await scriptedServer()
    const error = await rejection(clientFor(baseUrl).orders.create([], { idempotencyKey: key as string }))
    expect(error).toBeInstanceOf(FulfillmentError)
    expect(error).toHaveProperty('message', expect.stringMatching(/^idempotencyKey must be 1 to 255 ASCII characters/))
    expect(requests).toHaveLength(0)
  })

  test('of an attempt that is still running is retried', async () => {
    const running = failure(409, 'idempotency_conflict', '', { 'Retry-After': '1' })
    const { baseUrl, requests } = await scriptedServer((response) => response.destroy(), running, { body: success({ id: 1 }) })
    expect(await clientFor(baseUrl, { hooks: skipWaits() }).orders.update(1, { state_id: 5 })).toEqual({ id: 1 })
    expect(requests).toHaveLength(3)
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

  test('is Retry-After plus up to a tenth, up to a minute', () => {
    const delays = Array.from({ length: 100 }, () => retryDelayMs(unavailable(60_000), 1)!)
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(60_000)
    expect(Math.max(...delays)).toBeLessThanOrEqual(66_000)
    expect(new Set(delays).size).toBeGreaterThan(1)
    expect(retryDelayMs(unavailable(60_001), 1)).toBeUndefined()
    expect(retryDelayMs(unavailable(Number.POSITIVE_INFINITY), 1)).toBeUndefined()
  })

  test.each([0, 1, 499])('is not shortened by a Retry-After of %i ms', (retryAfterMs) => {
    for (const [failedAttempts, least] of [500, 1_000, 2_000, 4_000, 4_000].entries()) {
      expect(retryDelayMs(unavailable(retryAfterMs), failedAttempts + 1)).toBeGreaterThanOrEqual(least)
    }
  })

  test('is undefined for other errors', () => {
    expect(retryDelayMs(new Error('a bug'), 1)).toBeUndefined()
    expect(retryDelayMs(new APIError({ status: 409, code: 'idempotency_conflict', message: '' }), 1)).toBeUndefined()
    expect(retryDelayMs(new APIError({ status: 409, code: 'already_exists', message: '', retryAfterMs: 1 }), 1)).toBeUndefined()
  })

  test.each([
    [null, undefined],
    ['', undefined],
    ['0', 0],
    ['2', 2_000],
    ['-5', 0],
    ['soon', undefined],
    ['0x10', undefined],
    ['99999999999', 99_999_999_999_000],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10_000],
    ['Wed, 31 Dec 2025 23:59:50 GMT', 0],
  ])('of the header %j is %s', (header, ms) => {
    expect(parseRetryAfter(header, Date.parse('2026-01-01T00:00:00Z'))).toBe(ms)
  })
})
