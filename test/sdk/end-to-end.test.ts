import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, vi } from 'vitest'
import { APIError, type FulfillmentClient, type WebhookEvent } from '@fulfillment/sdk'
import { nodeReceiver } from '@fulfillment/sdk/webhooks/node'
import type { TestService, TestTenant } from '../support/service.ts'
import document from '../../openapi/openapi.json' with { type: 'json' }
import { it } from '../support/it.ts'
import { clientFor, rejection, skipWaits } from './client.ts'

async function newClient(service: TestService): Promise<{ client: FulfillmentClient; tenant: TestTenant }> {
  const tenant = await service.newTenant()
  return { client: clientFor(service.url, { apiKey: tenant.key }), tenant }
}

const line = { barcode: '4006381333931', quantity: 2 }
const order = (order_tenant_id: string) => ({ order_tenant_id, assembly_date: '2026-12-01', order_detail: [line] })

async function withProduct(service: TestService): Promise<{ client: FulfillmentClient; productId: number }> {
  const { client } = await newClient(service)
  const { id } = await client.products.create({ name: 'Green tea', barcode: line.barcode, sku: 'TEA-100' })
  return { client, productId: id }
}

/** A fetch that loses the response to the first attempt of each call. */
function losingFirstResponses(): typeof fetch {
  const lost = new Set<string>()
  return async (url, init) => {
    const response = await fetch(url, init)
    const key = new Headers(init?.headers).get('Idempotency-Key')!
    if (lost.has(key)) return response
    lost.add(key)
    throw new TypeError('The connection broke')
  }
}

describe('an integrator', () => {
  it('manages products, stock and orders', async ({ service }) => {
    const { client, productId } = await withProduct(service)
    await client.stock.setLevel(productId, { location_id: 'A-01', quantity: 25 })
    const { stock } = await client.stock.adjust({ sku: 'TEA-100', location_id: 'A-01', adjustment_quantity: -5 })
    expect(stock.new_quantity).toBe(20)

    const { created_count, orders } = await client.orders.create([order('SO-1'), order('SO-2')])
    expect(created_count).toBe(2)
    const { order_detail, state_id } = await client.orders.get(orders[0]!.id)
    expect([state_id, order_detail[0]!.product_name]).toEqual([1, 'Green tea'])
    await client.orders.update(orders[0]!.id, { customer_name: 'Ada' })
    await client.orders.cancel('SO-2', { reason: 'Out of stock' })
    expect(
      (await client.orders.list({ state_id: [1, 7], customer_name: 'ada' })).orders.map((one) => one.order_tenant_id),
    ).toEqual(['SO-1'])
  })

  it('iterates over all orders once while new ones are created', async ({ service }) => {
    const { client } = await withProduct(service)
    await client.orders.create(['SO-1', 'SO-2', 'SO-3', 'SO-4', 'SO-5'].map(order))
    const seen: string[] = []
    for await (const { order_tenant_id } of client.orders.list({ limit: 2 })) {
      if (seen.push(order_tenant_id) === 2) await client.orders.create(order('SO-6'))
    }
    expect(seen.toSorted()).toEqual(['SO-1', 'SO-2', 'SO-3', 'SO-4', 'SO-5'])
  })

  it('iterates over the timeline of an order', async ({ service }) => {
    const { client } = await withProduct(service)
    const { orders } = await client.orders.create(order('SO-1'))
    const { id } = orders[0]!
    await client.orders.cancel(String(id), { reason: 'Out of stock' })
    const texts: string[] = []
    for await (const entry of client.orders.timeline(id, { limit: 2 }))
      texts.push(entry.kind === 'state' ? `${entry.data.state_id}: ${entry.data.reason}` : entry.kind)
    expect(texts).toEqual(['call', 'created', 'event', 'call', '7: Out of stock', 'event'])
  })

  it('reads the event feed from a cursor', async ({ service }) => {
    const { client } = await withProduct(service)
    await client.orders.create(['SO-1', 'SO-2', 'SO-3'].map(order))
    // An event is in the feed once no transaction on the server is older: other tests share this Postgres.
    const all = await vi.waitFor(
      async () => {
        const page = await client.events.list()
        expect(page.events.filter(({ event }) => event === 'order/created')).toHaveLength(3)
        return page.events
      },
      { timeout: 60_000, interval: 100 },
    )
    const events: WebhookEvent[] = []
    for await (const event of client.events.list({ after: all.at(-4)!.id, limit: 2 })) events.push(event)
    expect(events.map(({ event }) => event)).toEqual(['order/created', 'order/created', 'order/created'])
  })

  it('gets the error of each item', async ({ service }) => {
    const { client } = await withProduct(service)
    const error = await rejection(client.orders.create([order('SO-1'), { ...order('SO-2'), assembly_date: '2026-02-30' }]))
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status: 400, code: 'validation_error', requestId: expect.any(String), details: [{ index: 1 }] })
    const { errors } = await client.stock.bulk({ updates: [{ sku: 'GONE', location_id: 'A-01', quantity: 1 }] })
    expect(errors).toEqual([{ product_id: 0, error: expect.any(String), index: 0 }])
  })

  it('can repeat a POST with its key without a second effect', async ({ service }) => {
    const { client, productId } = await withProduct(service)
    await client.stock.setLevel(productId, { location_id: 'A-01', quantity: 10 })
    const adjust = () =>
      client.stock
        .adjust({ sku: 'TEA-100', location_id: 'A-01', adjustment_quantity: -3 }, { idempotencyKey: 'return-1' })
        .withResponse()
    const first = await adjust()
    const second = await adjust()
    expect(second.data).toEqual(first.data)
    expect(second.response.headers.get('Idempotency-Replayed')).toBe('true')
    expect((await client.stock.getBySku('TEA-100')).total_quantity).toBe(7)
  })

  it('can repeat a PUT and a DELETE whose response was lost, and gets that response', async ({ service }) => {
    const { client, tenant } = await newClient(service)
    const product = await client.products.create({ name: 'Green tea', barcode: line.barcode })
    const { orders } = await client.orders.create(order('SO-1'))
    const lossy = clientFor(service.url, { apiKey: tenant.key, fetch: losingFirstResponses(), hooks: skipWaits() })
    const updated = await lossy.orders.update(orders[0]!.id, { state_id: 5 }).withResponse()
    expect(updated.response.headers.get('Idempotency-Replayed')).toBe('true')
    expect((await client.orders.get(orders[0]!.id)).state_id).toBe(5)
    const deleted = await lossy.products.delete(product.id).withResponse()
    expect(deleted.response.headers.get('Idempotency-Replayed')).toBe('true')
  })

  it('finds its request id in the response', async ({ service }) => {
    const { client } = await newClient(service)
    const { requestId } = await client.products.list({}, { headers: { 'X-Request-Id': 'import-7' } }).withResponse()
    expect(requestId).toBe('import-7')
  })
})

it('a receiver verifies deliveries, also after the secret was rotated', async ({ service }) => {
  const { client } = await newClient(service)
  const events: WebhookEvent[] = []
  const errors: unknown[] = []
  let secret: string | string[] = ''
  const options = {
    get secret() {
      return secret
    },
    onEvent: (event: WebhookEvent) => void events.push(event),
    onError: (error: unknown) => errors.push(error),
  }
  const server = createServer((request, response) => void nodeReceiver(options)(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const subscription = await client.webhooks.create({ name: 'shop', url, events: ['product/created', 'product/deleted'] })
  secret = subscription.secret
  const { id } = await client.products.create({ name: 'Grüner Tee ☕', barcode: '1' })
  await expect.poll(() => events.length).toBe(1)
  expect(events[0]).toMatchObject({ event: 'product/created', data: { product_id: id, name: 'Grüner Tee ☕' } })

  await client.webhooks.rotateSecret(subscription.id)
  await client.products.delete(id)
  await expect.poll(() => events.length).toBe(2)
  expect(events[1]).toMatchObject({ event: 'product/deleted' })
  expect(errors).toEqual([])
})

describe('the generated method', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map(({ operationId }) => ({ operationId, idCount: path.split('{').length - 1 })),
  )

  // The scope is checked after the route and before the input: a refusal for want of it proves that the method reaches its endpoint.
  it.for(operations)('$operationId reaches its endpoint', async ({ operationId, idCount }, { service }) => {
    const [resource, method] = operationId.split('.') as [keyof FulfillmentClient, string]
    const codes = new Set<unknown>()
    for (const scope of ['read:orders', 'read:products'] as const) {
      const { createKey } = await service.newTenant()
      const client = clientFor(service.url, { apiKey: await createKey({ scopes: [scope] }) })
      const methods = client[resource] as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>
      const ids = Array<number>(idCount).fill(999_999)
      await methods[method]!(...ids, {}).catch((error: APIError) => codes.add(error.code))
    }
    expect(codes).toContain('insufficient_scope')
  })
})
