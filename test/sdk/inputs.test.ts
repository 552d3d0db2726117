import { describe, expect, test } from 'vitest'
import { FulfillmentClient, FulfillmentError } from '@fulfillment/sdk'
import { API_KEY, clientFor, rejection } from './client.ts'
import { scriptedServer, success } from './scripted-server.ts'

const circular: Record<string, unknown> = {}
circular['self'] = circular

describe('a body that JSON has no form for is refused before anything is sent', () => {
  test.each<[string, unknown, RegExp]>([
    ['NaN, which would be null', { price: Number.NaN }, /price is NaN$/],
    ['Infinity', { weight: Number.POSITIVE_INFINITY }, /weight is Infinity$/],
    ['a BigInt', { price: 5n }, /price is a BigInt/],
    ['an invalid Date', { assembly_date: new Date('soon') }, /assembly_date is an invalid Date$/],
    ['a function', { name: () => 'Tea' }, /name is a function$/],
    ['a symbol', { name: Symbol('tea') }, /name is a symbol$/],
    ['a Map', { name: new Map() }, /name is a collection/],
    ['undefined in an array', { orders: [undefined] }, /orders\[0\] is undefined$/],
    ['itself', circular, /nested too deeply, or holds itself$/],
    [
      'deep inside',
      { orders: [{}, { order_detail: [{ quantity: Number.NaN }] }] },
      /orders\[1\]\.order_detail\[0\]\.quantity is NaN$/,
    ],
    [
      'a toJSON that throws',
      {
        toJSON() {
          throw new Error('no')
        },
      },
      /Error: no$/,
    ],
  ])('%s', async (_, input, message) => {
    const { baseUrl, requests } = await scriptedServer()
    const error = await rejection(clientFor(baseUrl).products.update(1, input as object))
    expect(error).toBeInstanceOf(FulfillmentError)
    expect((error as Error).message).toMatch(/^The input cannot be sent as JSON: /)
    expect((error as Error).message).toMatch(message)
    expect(requests).toHaveLength(0)
  })

  test('but undefined is left out, and what has a toJSON says how it is written', async () => {
    const { baseUrl, requests } = await scriptedServer()
    const decimal = { toJSON: () => '4.90' }
    const input = { sku: undefined, price: decimal, at: new Date('2026-01-31T00:00:00Z') }
    await clientFor(baseUrl).products.update(1, input as object)
    expect(requests[0]!.body).toBe('{"price":"4.90","at":"2026-01-31T00:00:00.000Z"}')
  })
})

describe('filters that a query has no form for are refused before anything is sent', () => {
  test.each<[unknown, RegExp]>([
    [{ start_date: new Date() }, /^start_date must be text, a finite number or a boolean, not Date$/],
    [{ customer_name: {} }, /^customer_name must be .* not Object$/],
    [{ page: Number.NaN }, /^page must be .* not NaN$/],
    [{ state_id: [1, {}] }, /^state_id must be .* not Object$/],
    [{ state_id: [] }, /^state_id must not be empty$/],
    [{ state_id: [undefined] }, /^state_id must not be empty$/],
    [7, /^The filters must be an object, not 7$/],
  ])('%j', async (filters, message) => {
    const { baseUrl, requests } = await scriptedServer()
    const error = await rejection(clientFor(baseUrl).orders.list(filters as object))
    expect(error).toBeInstanceOf(FulfillmentError)
    expect((error as Error).message).toMatch(message)
    expect(requests).toHaveLength(0)
  })
})

describe('a path id', () => {
  test.each<[unknown, RegExp]>([
    [{ id: 5 }, /^id must be .* not Object$/],
    [Number.NaN, /^id must be .* not NaN$/],
    [[], /^id must be .* not Array$/],
  ])('of %j is refused before anything is sent', async (id, message) => {
    const { baseUrl, requests } = await scriptedServer()
    const error = await rejection(clientFor(baseUrl).orders.get(id as number))
    expect(error).toBeInstanceOf(FulfillmentError)
    expect((error as Error).message).toMatch(message)
    expect(requests).toHaveLength(0)
  })

  test('of half a character is refused as well', async () => {
    const error = await rejection(clientFor('https://example.com').products.getBySku('\ud800'))
    expect(error).toBeInstanceOf(FulfillmentError)
    expect((error as Error).message).toBe('sku is "\\ud800", which is no well-formed Unicode')
  })

  test.each(['%2F', '%2e%2e', '..%2Forders', '../orders', '..\\orders', './', ' ', '\t', '?x=1', '#x', '…'])(
    'of %j stays within its segment',
    async (sku) => {
      const { baseUrl, requests } = await scriptedServer()
      await clientFor(baseUrl).products.getBySku(sku)
      const segments = requests[0]!.url.split('/')
      expect(segments.slice(0, -1).join('/')).toBe('/api/v1/products/sku')
      expect(decodeURIComponent(segments.at(-1)!)).toBe(sku)
    },
  )
})

describe('a header', () => {
  test.each([
    { 'X-Trace': 'a\r\nX-API-Key: other' },
    { 'X-Trace': 'a\0' },
    { 'X-Trace': 'schlüssel ☕' },
    { 'X Trace': 'a' },
    { 'X-Trace\r\nEvil': 'a' },
    { '': 'a' },
  ])('of %j is refused before anything is sent, without its value', async (headers) => {
    const { baseUrl, requests } = await scriptedServer()
    const error = await rejection(clientFor(baseUrl).orders.get(1, { headers: { ...headers } }))
    expect(error).toBeInstanceOf(FulfillmentError)
    expect((error as Error).message).toMatch(/^headers: ".*" is no header name, or its value/)
    expect((error as Error).message).not.toContain('X-API-Key')
    expect(requests).toHaveLength(0)
  })

  test('may come from a Headers object; one of undefined is not sent', async () => {
    const { baseUrl, requests } = await scriptedServer()
    const { orders } = clientFor(baseUrl)
    await orders.get(1, { headers: new Headers({ 'X-Request-Id': 'import-7' }) })
    await orders.get(1, { headers: { traceparent: undefined } })
    expect(requests[0]!.headers['x-request-id']).toBe('import-7')
    expect(requests[1]!.headers).not.toHaveProperty('traceparent')
  })

  test('may come from an iterator, which can be read only once, also in a call that looks for an Idempotency-Key', async () => {
    const { baseUrl, requests } = await scriptedServer()
    const headers = new Headers({ 'X-Request-Id': 'import-7', 'Idempotency-Key': 'job-7' }).entries()
    await clientFor(baseUrl).products.update(1, {}, { headers })
    expect(requests[0]!.headers).toMatchObject({ 'x-request-id': 'import-7', 'idempotency-key': 'job-7' })
  })
})

test('a controller in place of its signal is refused before anything is sent', async () => {
  const { baseUrl, requests } = await scriptedServer()
  const signal = new AbortController() as unknown as AbortSignal
  expect(await rejection(clientFor(baseUrl).orders.get(1, { signal }))).toHaveProperty(
    'message',
    expect.stringMatching(/^signal must be an AbortSignal/),
  )
  expect(requests).toHaveLength(0)
})

describe('the client', () => {
  test('takes a URL object, and null for options that are not given', async () => {
    const { baseUrl, requests } = await scriptedServer({ body: success({ id: 1 }) })
    const client = new FulfillmentClient({ apiKey: API_KEY, baseUrl: new URL(`${baseUrl}/shop/`) })
    expect(await client.orders.get(1, null as unknown as undefined)).toEqual({ id: 1 })
    expect(requests[0]!.url).toBe('/shop/api/v1/orders/1')
  })

  test('without options says what is missing', () => {
    const create = () => new (FulfillmentClient as unknown as new () => FulfillmentClient)()
    expect(create).toThrow(new FulfillmentError('apiKey is missing: pass a key, for example from an environment variable'))
  })

  test.each(['https://user:hunter2@example.com', 'ftp://user:hunter2@example.com', 'https://example.com/?token=hunter2'])(
    'quotes no secret of a wrong baseUrl: %s',
    (baseUrl) => {
      expect(() => clientFor(baseUrl)).toThrow(/^baseUrl must (?!.*hunter2)/)
    },
  )
})
