import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { APIError, type FulfillmentClient } from '@fulfillment/sdk'
import { clientFor, rejection } from './client.ts'
import { scriptedServer, success } from './scripted-server.ts'

const pagination = { page: 1, limit: 50, total: 1, total_pages: 1 }

/** Responses of proxies, other services and broken servers with status 200. */
const NEVER_RIGHT: [string, unknown][] = [
  ['an HTML page', '<!doctype html><title>Sign in</title>'],
  ['nothing', ''],
  ['JSON that breaks off', '{"success":true,"data":{"orders":[{"id":1'],
  ['an array', []],
  ['null', 'null'],
  ['text', '"ok"'],
  ['another envelope', { status: 'ok', result: {} }],
  ['no data', { success: true }],
  ['data of null', success(null)],
  ['data that is an array', success([{ id: 1 }])],
  ['data that is text', success('ok')],
  ['a failure without an error', { success: false }],
  ['a failure with text as its error', { success: false, error: 'boom' }],
  ['a failure without a code', { success: false, error: { message: 'boom' } }],
  ['the error of another API', { error: { code: 'UNAUTHENTICATED', message: 'The token has expired' } }],
  ['a failure whose message is an object', { success: false, error: { code: 'not_found', message: {} } }],
]

const NO_PAGE: [string, unknown][] = [
  ['an empty object', success({})],
  ['no array', success({ pagination })],
  ['an object for the array', success({ orders: {}, pagination })],
  ['null among the items', success({ orders: [null], pagination })],
  ['text among the items', success({ orders: ['a'], pagination })],
  ['neither pagination nor next_cursor', success({ orders: [{ id: 1 }] })],
  ['pagination of null', success({ orders: [{ id: 1 }], pagination: null })],
  ['pagination without its numbers', success({ orders: [{ id: 1 }], pagination: {} })],
  ['pagination in text', success({ orders: [{ id: 1 }], pagination: { page: '1', total_pages: '2' } })],
]

async function iterate(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

const LIST_CALLS: [string, (client: FulfillmentClient) => PromiseLike<unknown>][] = [
  ['awaited', (client) => client.orders.list()],
  ['iterated', (client) => iterate(client.orders.list())],
  ['by page', (client) => iterate(client.orders.list().pages())],
  ['withResponse()', (client) => client.orders.list().withResponse()],
]

describe('a response that is not the API’s', () => {
  const cases = [
    ...NEVER_RIGHT.map(([what, body]) => ({
      call: 'get',
      what,
      body,
      send: (client: FulfillmentClient) => client.orders.get(1),
    })),
    ...LIST_CALLS.flatMap(([call, send]) => [...NEVER_RIGHT, ...NO_PAGE].map(([what, body]) => ({ call, what, body, send }))),
  ]

  test.each(cases)('($what, $call) is an APIError that names the request', async ({ body, send }) => {
    const { baseUrl, requests } = await scriptedServer({ headers: { 'X-Request-Id': 'req-8' }, body })
    const error = await rejection(send(clientFor(baseUrl)))
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status: 200, code: 'unexpected_response', requestId: 'req-8' })
    expect((error as Error).message).toMatch(/^HTTP 200 with .*\(request req-8\)$/)
    expect(requests).toHaveLength(1)
  })

  test('names the missing array', async () => {
    const { baseUrl } = await scriptedServer({ body: success({ pagination }) })
    expect(await rejection(clientFor(baseUrl).orders.list())).toHaveProperty(
      'message',
      'HTTP 200 with a page without the array orders (request req-1)',
    )
  })

  test('is passed to onError', async () => {
    const told: unknown[] = []
    const { baseUrl } = await scriptedServer({ body: success({ pagination }) })
    const error = await rejection(
      clientFor(baseUrl, { hooks: { onError: (event) => void told.push(event.error) } }).orders.list(),
    )
    expect(told).toEqual([error])
  })

  test('never causes a TypeError or SyntaxError, with any JSON', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.jsonValue().map(success),
      fc.jsonValue().map((orders) => success({ orders, pagination })),
    )
    await fc.assert(
      fc.asyncProperty(value, async (body) => {
        const fetch = async () => Response.json(body)
        const { orders } = clientFor('https://example.com', { fetch })
        const failures = [await orders.get(1).catch((error) => error), await iterate(orders.list()).catch((error) => error)]
        for (const failure of failures) {
          if (failure instanceof Error) expect(failure).toBeInstanceOf(APIError)
        }
      }),
      { numRuns: 300, seed: 7 },
    )
  })
})

describe('a list that does not advance', () => {
  test.each([
    ['pages', { orders: [{ id: 1 }], pagination: { ...pagination, total_pages: 9 } }],
    ['cursors', { orders: [{ id: 1 }], next_cursor: 'c1' }],
  ])('but gives the same page for ever (%s) is an error, not an endless loop', async (_, page) => {
    const { baseUrl, requests } = await scriptedServer({ body: success(page) })
    const error = await rejection(iterate(clientFor(baseUrl).orders.list()))
    expect(error).toMatchObject({ code: 'unexpected_response', message: expect.stringContaining('returned twice') })
    expect(requests).toHaveLength(2)
  })
})

describe('a custom fetch', () => {
  test.each([
    ['that returns no Response', async () => ({ ok: true, json: async () => ({}) }), /did not return a Response/],
    ['that returns nothing', async () => undefined, /did not return a Response/],
    [
      'that reads the body',
      async () => {
        const response = Response.json(success({ id: 1 }))
        await response.text()
        return response
      },
      /response\.clone\(\)/,
    ],
  ])('%s is told so, and not called again', async (_, fetch, message) => {
    let calls = 0
    const counted = async () => {
      calls++
      return (await fetch()) as Response
    }
    const error = await rejection(clientFor('https://example.com', { fetch: counted }).orders.get(1))
    expect(error).toHaveProperty('message', expect.stringMatching(message))
    expect(calls).toBe(1)
  })
})
