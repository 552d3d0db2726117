import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { APIError, ConnectionError, FulfillmentError } from '@fulfillment/sdk'
import { API_KEY, clientFor, rejection } from './client.ts'
import { failure, scriptedServer } from './scripted-server.ts'

describe('an error', () => {
  test('has all fields of the API’s error', async () => {
    const details = [{ index: 1, error: 'assembly_date is required' }]
    const body = { success: false, error: { code: 'validation_error', message: 'Invalid order data', details } }
    const { baseUrl } = await scriptedServer({ status: 400, headers: { 'X-Request-Id': 'req-5' }, body })
    const error = await rejection(clientFor(baseUrl).orders.create([]))
    expect(error).toBeInstanceOf(APIError)
    expect(error).toBeInstanceOf(FulfillmentError)
    expect(error).toMatchObject({
      name: 'APIError',
      status: 400,
      code: 'validation_error',
      message: 'Invalid order data',
      details,
      requestId: 'req-5',
    })
  })

  test.each([
    ['an HTML page', 502, '<html>Bad gateway</html>', 'HTTP 502 with a body that is not the API\'s: "<html>Bad gateway</html>"'],
    ['nothing', 500, '', 'HTTP 500 with a body that is not the API\'s: ""'],
    ['JSON of another API', 404, '{"message":"no Route matched"}', 'no Route matched'],
    ['null', 400, 'null', 'null'],
    ['a success that is no envelope', 200, '[1]', '[1]'],
    ['a success that is no JSON', 200, 'welcome to the hotel', 'welcome to the hotel'],
  ])('that is %s is an unexpected_response', async (_, status, body, message) => {
    const { baseUrl } = await scriptedServer({ status, body })
    const error = await rejection(clientFor(baseUrl, { maxRetries: 0 }).orders.get(1))
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status, code: 'unexpected_response', message: expect.stringContaining(message) })
  })

  test('for a redirect is thrown, because following it would send the key', async () => {
    const other = await scriptedServer()
    const { baseUrl } = await scriptedServer({ status: 308, headers: { Location: `${other.baseUrl}/api/v1/orders/1` } })
    const error = await rejection(clientFor(baseUrl).orders.get(1))
    expect(error).toMatchObject({
      status: 308,
      code: 'unexpected_response',
      message: expect.stringContaining(`Redirected to ${other.baseUrl}`),
    })
    expect(other.requests).toHaveLength(0)
  })

  test('of the connection names the reason, without the query', async () => {
    const client = clientFor('http://127.0.0.1:1', { maxRetries: 0 })
    const error = await rejection(client.orders.list({ page: 3 }))
    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).message).toMatch(/^GET http:\/\/127\.0\.0\.1:1\/api\/v1\/orders: fetch failed \(.+\) \(attempt 1\)$/)
    expect((error as Error).cause).toBeInstanceOf(TypeError)
  })

  test('shows the line that made the call', async () => {
    const { baseUrl } = await scriptedServer(failure(404, 'not_found'))
    const error = await rejection(clientFor(baseUrl).orders.get(1))
    expect((error as Error).stack).toContain('errors.test.ts')
  })
})

test('the key is not part of errors, hooks, or the printed client', async () => {
  const seen: unknown[] = []
  const hook = (event: unknown) => seen.push(event)
  const hooks = { onRequest: hook, onResponse: hook, onRetry: hook, onError: hook }
  const { baseUrl } = await scriptedServer(
    failure(500, 'internal_error'),
    (response) => response.destroy(),
    failure(403, 'insufficient_scope'),
  )
  const client = clientFor(baseUrl, { hooks })
  seen.push(await rejection(client.orders.create([])))
  seen.push(await rejection(clientFor('http://127.0.0.1:1', { hooks, maxRetries: 0 }).orders.get(1)))
  seen.push(
    await client.orders
      .get(1)
      .withResponse()
      .catch((error: unknown) => error),
  )
  seen.push(client, client.orders)
  expect(seen.length).toBeGreaterThan(10)
  expect(inspect(seen, { depth: null, showHidden: true, getters: true })).not.toContain(API_KEY)
  expect(JSON.stringify(seen)).not.toContain(API_KEY)
})
