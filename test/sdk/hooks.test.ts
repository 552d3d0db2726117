import { expect, test } from 'vitest'
import { clientFor, rejection } from './client.ts'
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
    { hook: 'retry', ...request, attempt: 1, delayMs: 0, error: expect.objectContaining({ code: 'internal_error' }) },
    { hook: 'request', ...request, attempt: 2 },
    { hook: 'response', ...request, attempt: 2, status: 404, requestId: 'req-1', durationMs },
    { hook: 'error', ...request, attempt: 2, error },
  ])
})

test('what a hook throws reaches the caller, and causes no second request', async () => {
  const bug = new Error('A bug in the logger')
  const hooks = {
    onResponse() {
      throw bug
    },
  }
  const { baseUrl, requests } = await scriptedServer({ body: success({ id: 1 }) })
  expect(await rejection(clientFor(baseUrl, { hooks }).orders.get(1))).toBe(bug)
  expect(requests).toHaveLength(1)
})
