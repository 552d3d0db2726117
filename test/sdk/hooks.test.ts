import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { HookFailed } from '@fulfillment/sdk'
import { clientFor, rejection, unhandledRejections } from './client.ts'
import { failure, scriptedServer, success } from './scripted-server.ts'

test('hooks see every attempt with what is needed for a log line', async () => {
  const seen: unknown[] = []
  const record = (name: string) => (event: object) => seen.push({ hook: name, ...event })
  const hooks = {
    onRequest: record('request'),
    onResponse: record('response'),
    onRetry: record('retry'),
    onError: record('error'),
  }
  const { baseUrl } = await scriptedServer(failure(500, 'internal_error'), failure(404, 'not_found'))
  const error = await rejection(clientFor(baseUrl, { hooks }).orders.cancel('SO-1', undefined, { idempotencyKey: 'k' }))

  const request = {
    method: 'POST',
    url: `${baseUrl}/api/v1/orders/SO-1/cancel`,
    route: '/api/v1/orders/{id}/cancel',
    idempotencyKey: 'k',
  }
  const durationMs = expect.any(Number)
  expect(seen).toEqual([
    { hook: 'request', ...request, attempt: 1 },
    { hook: 'response', ...request, attempt: 1, status: 500, requestId: 'req-1', durationMs },
    {
      hook: 'retry',
      ...request,
      attempt: 1,
      delayMs: expect.any(Number),
      error: expect.objectContaining({ code: 'internal_error' }),
    },
    { hook: 'request', ...request, attempt: 2 },
    { hook: 'response', ...request, attempt: 2, status: 404, requestId: 'req-1', durationMs },
    { hook: 'error', ...request, attempt: 2, error },
  ])
})

describe('a hook that fails', () => {
  const bug = new Error('A bug in the logger')
  const failing = {
    throws: () => {
      throw bug
    },
    rejects: async () => {
      throw bug
    },
  }
  const hookNames = ['onRequest', 'onResponse', 'onRetry', 'onError'] as const
  const ways = hookNames.flatMap((hook) => Object.entries(failing).map(([way, fail]) => ({ hook, way, fail })))

  test.each(ways)('($hook $way) changes nothing for the caller, and is reported', async ({ hook, fail }) => {
    const unhandled = unhandledRejections()
    const told: HookFailed[] = []
    const { baseUrl, requests } = await scriptedServer(failure(500, 'internal_error'), { body: success({ id: 1 }) })
    const client = clientFor(baseUrl, { hooks: { [hook]: fail, onHookError: (event) => void told.push(event) } })
    if (hook === 'onError') {
      expect(await rejection(client.orders.get(1, { maxRetries: 0 }))).toMatchObject({ code: 'internal_error' })
    } else {
      expect(await client.orders.get(1)).toEqual({ id: 1 })
      expect(requests).toHaveLength(2)
    }
    expect(told[0]).toMatchObject({ hook, error: bug, route: '/api/v1/orders/{id}', attempt: 1 })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(unhandled).toEqual([])
  })

  test.each(Object.entries(failing))('(%s) is on the console when nobody else is told', async (_, fail) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => log.mockRestore())
    const { baseUrl } = await scriptedServer({ body: success({ id: 1 }) })
    await clientFor(baseUrl, { hooks: { onResponse: fail } }).orders.get(1)
    const worse = new Error('onHookError has a bug, too')
    const onHookError = () => {
      throw worse
    }
    await clientFor(baseUrl, { hooks: { onResponse: fail, onHookError } }).orders.get(1)
    await expect.poll(() => log.mock.calls).toEqual([[bug], [worse]])
  })

  test('by never being done holds nobody up', async () => {
    const { baseUrl } = await scriptedServer({ body: success({ id: 1 }) })
    const hooks = { onRequest: () => new Promise<void>(() => {}), onResponse: () => new Promise<void>(() => {}) }
    expect(await clientFor(baseUrl, { hooks }).orders.get(1)).toEqual({ id: 1 })
  })

  test('by changing what it is told changes no request', async () => {
    const { baseUrl, requests } = await scriptedServer({ body: success({ id: 1 }) })
    const hooks = {
      onRequest: (event: { url: string; method: string }) => {
        event.url = 'http://127.0.0.1:1/'
        event.method = 'DELETE'
      },
    }
    expect(await clientFor(baseUrl, { hooks, maxRetries: 0 }).orders.get(1)).toEqual({ id: 1 })
    expect(requests[0]).toMatchObject({ method: 'GET', url: '/api/v1/orders/1' })
  })
})

test('hooks keep their receiver, so that a class can be one', async () => {
  class Metrics {
    statuses: number[] = []
    onResponse({ status }: { status: number }) {
      this.statuses.push(status)
    }
  }
  const metrics = new Metrics()
  const { baseUrl } = await scriptedServer({ body: success({ id: 1 }) })
  await clientFor(baseUrl, { hooks: metrics }).orders.get(1)
  expect(metrics.statuses).toEqual([200])
})
