import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { FulfillmentClient, FulfillmentError } from '@fulfillment/sdk'
import { API_KEY, clientFor, rejection, unhandledRejections } from './client.ts'
import { scriptedServer, success } from './scripted-server.ts'

describe('a request', () => {
  test('has the key, the body as JSON, and a user agent', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).products.create({ name: 'Tee ☕', barcode: '4006381333931' })
    const [request] = requests
    expect(request).toMatchObject({ method: 'POST', url: '/api/v1/products' })
    expect(JSON.parse(request!.body)).toEqual({ name: 'Tee ☕', barcode: '4006381333931' })
    expect(request!.headers).toMatchObject({
      'x-api-key': API_KEY,
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': expect.stringMatching(/^fulfillment-sdk\/\d+\.\d+\.\d+/),
    })
  })

  test('has no user agent header in a browser, where CORS would have to allow it', async () => {
    vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' })
    onTestFinished(() => void vi.unstubAllGlobals())
    const sent: RequestInit[] = []
    const fetch = async (_url: string, init: RequestInit) => {
      sent.push(init)
      return Response.json(success({}))
    }
    await clientFor('https://example.com', { fetch }).orders.get(1)
    expect(Object.keys(sent[0]!.headers!)).toEqual(['accept', 'x-api-key'])
  })

  test('has neither body nor content type without a body', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.cancel(7)
    expect(requests[0]!.body).toBe('')
    expect(requests[0]!.headers).not.toHaveProperty('content-type')
  })

  test('repeats a query parameter for each item of an array, and leaves out what is undefined', async () => {
    const { baseUrl, requests } = await scriptedServer({ body: success({ orders: [], next_cursor: null }) })
    await clientFor(baseUrl).orders.list({ state_id: [1, 2], customer_name: 'Ada & Co', page: undefined })
    expect(requests[0]!.url).toBe('/api/v1/orders?state_id=1&state_id=2&customer_name=Ada+%26+Co')
  })

  test('sends additional headers, which cannot replace the key', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).orders.get(1, { headers: { 'X-Request-Id': 'import-7', 'x-api-key': 'other' } })
    expect(requests[0]!.headers).toMatchObject({ 'x-request-id': 'import-7', 'x-api-key': API_KEY })
  })

  test('uses a custom fetch, called without a receiver', async () => {
    const receivers: unknown[] = []
    async function fetch(this: unknown): Promise<Response> {
      receivers.push(this)
      return Response.json(success({ id: 5 }))
    }
    const order = await clientFor('https://example.com', { fetch }).orders.get(5)
    expect(order).toEqual({ id: 5 })
    expect(receivers).toEqual([undefined])
  })
})

describe('a path id', () => {
  test('is escaped', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl).products.getBySku('A/B 1?x=ä#%')
    expect(requests[0]!.url).toBe('/api/v1/products/sku/A%2FB%201%3Fx%3D%C3%A4%23%25')
  })

  test.each(['', '.', '..', undefined, null])('%j never reaches another endpoint', async (sku) => {
    const { baseUrl, requests } = await scriptedServer()
    const error = await rejection(clientFor(baseUrl).products.getBySku(sku as string))
    expect(error).toBeInstanceOf(FulfillmentError)
    expect((error as Error).message).toContain('sku')
    expect(requests).toHaveLength(0)
  })
})

describe('the response', () => {
  test('is unwrapped to its data', async () => {
    const { baseUrl } = await scriptedServer({ body: success({ id: 7, order_tenant_id: 'SO-7' }) })
    expect(await clientFor(baseUrl).orders.get(7)).toEqual({ id: 7, order_tenant_id: 'SO-7' })
  })

  test('is available in full, with its request id', async () => {
    const { baseUrl } = await scriptedServer({
      headers: { 'X-Request-Id': 'req-9', 'RateLimit-Remaining': '599' },
      body: success({ id: 7 }),
    })
    const { data, response, requestId } = await clientFor(baseUrl).orders.get(7).withResponse()
    expect(data).toEqual({ id: 7 })
    expect(response.headers.get('RateLimit-Remaining')).toBe('599')
    expect(requestId).toBe('req-9')
  })

  test('can be used like any promise', async () => {
    const { baseUrl } = await scriptedServer(
      { body: success({ id: 7 }) },
      { status: 404, body: { success: false, error: { code: 'not_found', message: 'Order not found' } } },
    )
    const { orders } = clientFor(baseUrl)
    expect(await orders.get(7).then(({ id }) => id)).toBe(7)
    expect(await orders.get(8).catch((error: Error) => error.message)).toBe('Order not found')
    let settled = false
    await orders
      .get(8)
      .finally(() => (settled = true))
      .catch(() => undefined)
    expect(settled).toBe(true)
  })

  test('has no unhandled rejection with withResponse()', async () => {
    const unhandled = unhandledRejections()
    const { baseUrl } = await scriptedServer({ status: 404, body: { success: false, error: { code: 'not_found', message: '' } } })
    await rejection(clientFor(baseUrl).orders.get(8).withResponse())
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(unhandled).toEqual([])
  })
})

describe('baseUrl', () => {
  test.each(['', '/', '/api/v1', '/api/v1/'])('with %j at its end reaches the API', async (suffix) => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(baseUrl + suffix).orders.get(1)
    expect(requests[0]!.url).toBe('/api/v1/orders/1')
  })

  test('keeps a path prefix', async () => {
    const { baseUrl, requests } = await scriptedServer()
    await clientFor(`${baseUrl}/shop/fulfillment/`).orders.get(1)
    expect(requests[0]!.url).toBe('/shop/fulfillment/api/v1/orders/1')
  })

  test.each([
    undefined,
    '',
    'example.com',
    'ftp://example.com',
    'https://',
    'https://example.com/?x=1',
    'https://example.com/#x',
  ])('%j is refused', (baseUrl) => {
    expect(() => clientFor(baseUrl as string)).toThrow(FulfillmentError)
  })

  test('with a password is rejected without being quoted', () => {
    expect(() => clientFor('https://user:hunter2@example.com')).toThrow(/user name or password$/)
  })
})

test.each([undefined, '', 'service_live_x\n', 'service live', 'schlüssel'])(
  'the key %j is refused without being quoted',
  (apiKey) => {
    const create = () => new FulfillmentClient({ apiKey: apiKey as string, baseUrl: 'https://example.com' })
    expect(create).toThrow(/^apiKey (is missing: .*|holds white space or other characters that no key has)$/)
  },
)

test.each([{ timeoutMs: 0 }, { timeoutMs: -1 }, { timeoutMs: Number.NaN }, { maxRetries: -1 }, { maxRetries: Number.NaN }])(
  'the limits %j are refused, for the client as for a call',
  async (limits) => {
    const { baseUrl, requests } = await scriptedServer()
    expect(await rejection(clientFor(baseUrl, limits).orders.get(1))).toBeInstanceOf(FulfillmentError)
    expect(await rejection(clientFor(baseUrl).orders.get(1, limits))).toBeInstanceOf(FulfillmentError)
    expect(requests).toHaveLength(0)
  },
)
