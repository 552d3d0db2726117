import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { ConnectionError, TimeoutError } from '@fulfillment/sdk'
import { clientFor, rejection } from './client.ts'
import { failure, scriptedServer, success } from './scripted-server.ts'

const silence = () => undefined

describe('a time-out', () => {
  test('ends an attempt, not the call', async () => {
    const { baseUrl, requests } = await scriptedServer(silence, { body: success({ id: 1 }) })
    expect(await clientFor(baseUrl, { timeoutMs: 100 }).orders.get(1)).toEqual({ id: 1 })
    // A busy machine can be late with the second response, too.
    expect(requests.length).toBeGreaterThan(1)
  })

  test('is an error of its own, which names the call', async () => {
    const { baseUrl } = await scriptedServer(silence)
    const error = await rejection(clientFor(baseUrl).orders.list({ page: 2 }, { timeoutMs: 50, maxRetries: 0 }))
    expect(error).toBeInstanceOf(TimeoutError)
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toHaveProperty('message', `GET ${baseUrl}/api/v1/orders: no response within 50 ms (attempt 1)`)
  })

  test('is the reason of the signal that a custom fetch gets', async () => {
    const reasons: unknown[] = []
    const { baseUrl } = await scriptedServer(silence)
    const own: typeof globalThis.fetch = (url, init) => {
      init?.signal?.addEventListener('abort', () => reasons.push(init.signal?.reason.name))
      return fetch(url, init)
    }
    await rejection(clientFor(baseUrl, { timeoutMs: 50, maxRetries: 0, fetch: own }).orders.get(1))
    expect(reasons).toEqual(['TimeoutError'])
  })

  test('also covers a body that does not end', async () => {
    const { baseUrl } = await scriptedServer((response) => response.writeHead(200).write('{"success":'))
    const error = await rejection(clientFor(baseUrl, { timeoutMs: 100, maxRetries: 0 }).orders.get(1))
    expect(error).toBeInstanceOf(TimeoutError)
  })

  test('of Infinity is none', async () => {
    const { baseUrl } = await scriptedServer((response) => setTimeout(() => response.end(JSON.stringify(success({ id: 1 }))), 50))
    expect(await clientFor(baseUrl, { timeoutMs: Number.POSITIVE_INFINITY, maxRetries: 0 }).orders.get(1)).toEqual({ id: 1 })
  })
})

describe('an abort', () => {
  const reason = new Error('The user left')

  test('before the call sends nothing', async () => {
    const { baseUrl, requests } = await scriptedServer()
    expect(await rejection(clientFor(baseUrl).orders.get(1, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(requests).toHaveLength(0)
  })

  test.each([0, 2])('during a request rejects with its reason, without another try of %i', async (maxRetries) => {
    const controller = new AbortController()
    const { baseUrl, requests } = await scriptedServer(() => controller.abort(reason))
    expect(await rejection(clientFor(baseUrl).orders.get(1, { signal: controller.signal, maxRetries }))).toBe(reason)
    expect(requests).toHaveLength(1)
  })

  test('during the wait for another try ends the wait', async () => {
    const controller = new AbortController()
    const { baseUrl, requests } = await scriptedServer(failure(503, 'service_unavailable', '', { 'Retry-After': '30' }))
    const hooks = { onRetry: () => setTimeout(() => controller.abort(reason), 20) }
    expect(await rejection(clientFor(baseUrl, { hooks }).orders.get(1, { signal: controller.signal }))).toBe(reason)
    expect(requests).toHaveLength(1)
  })

  // Sooner than the 30 seconds of the wait.
  test('by a hook, just before the wait, ends the call', { timeout: 20_000 }, async () => {
    const controller = new AbortController()
    const { baseUrl } = await scriptedServer(failure(503, 'service_unavailable', '', { 'Retry-After': '30' }))
    const hooks = { onRetry: () => controller.abort(reason) }
    expect(await rejection(clientFor(baseUrl, { hooks }).orders.get(1, { signal: controller.signal }))).toBe(reason)
  })

  test('ends an iteration over pages', async () => {
    const controller = new AbortController()
    const page = { body: success({ orders: [{ id: 1 }], pagination: { page: 1, limit: 1, total: 9, total_pages: 9 } }) }
    const { baseUrl, requests } = await scriptedServer(page)
    const iterate = async () => {
      for await (const order of clientFor(baseUrl).orders.list({}, { signal: controller.signal }))
        controller.abort(order && reason)
    }
    expect(await rejection(iterate())).toBe(reason)
    expect(requests).toHaveLength(1)
  })
})

test('a signal that outlives its calls keeps none of their listeners', async () => {
  const { signal } = new AbortController()
  const { baseUrl } = await scriptedServer(failure(500, 'internal_error'), {})
  await clientFor(baseUrl).orders.get(1, { signal })
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a signal that many calls share has one listener: Node 20 warns of a leak at more than ten', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const waiting = await scriptedServer(silence)
  const failing = await scriptedServer(failure(503, 'service_unavailable', '', { 'Retry-After': '30' }))
  const retries: unknown[] = []
  const hooks = { onRetry: (retry: unknown) => retries.push(retry) }
  const calls = [waiting, failing].flatMap(({ baseUrl }) =>
    Array.from({ length: 8 }, () => rejection(clientFor(baseUrl, { hooks }).orders.get(1, { signal }))),
  )
  await vi.waitFor(() => expect([waiting.requests.length, retries.length]).toEqual([8, 8]), { timeout: 30_000 })
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  const reason = new Error('The server stops')
  controller.abort(reason)
  expect(new Set(await Promise.all(calls))).toEqual(new Set([reason]))
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

test('a fetch of your own that heeds no signal is left behind all the same', async () => {
  const fetch = () => new Promise<Response>(() => {})
  const { orders } = clientFor('https://example.com', { fetch, timeoutMs: 30, maxRetries: 0 })
  expect(await rejection(orders.get(1))).toBeInstanceOf(TimeoutError)
  const reason = new Error('The user left')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 10)
  expect(await rejection(orders.get(1, { signal: controller.signal, timeoutMs: 10_000 }))).toBe(reason)
})
