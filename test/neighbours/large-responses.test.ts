import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { createOrders, LARGE, LINES, openResponse, ORDERS } from '../support/large-list.ts'
import { send } from '../support/service.ts'
import { atMost } from '../support/patience.ts'
import { it as base } from './support/it.ts'

type Open = (path: string, key: string) => Promise<IncomingMessage>

/**
 * `it` with tenants of the file: `owner` of large orders, and `neighbour`. `open` sends a request and returns its response, which is not read
 * yet. `metric` reads a metric of the server.
 */
const it = base
  .extend('owner', { scope: 'file' }, async ({ service }) => {
    const owner = await service.newTenant()
    await createOrders(owner.request, ORDERS)
    return owner
  })
  .extend('neighbour', { scope: 'file' }, async ({ service }) => await service.newTenant())
  .extend('open', async ({ server }, { onCleanup }): Promise<Open> => {
    const opened: ClientRequest[] = []
    onCleanup(() => {
      for (const asked of opened) asked.destroy()
    })
    return (path, key) => openResponse(server.url + path, key, (asked) => opened.push(asked))
  })
  .extend('metric', async ({ server }) => async (name: string): Promise<number> => {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  })

/** Waits until the response is closed, even by a broken connection. */
const closed = (response: IncomingMessage): Promise<void> => new Promise((resolve) => response.once('close', resolve))

describe('a list of orders with very many lines', () => {
  it('is complete and in order, and does not block the event loop', async ({ server, owner }) => {
    const ask = () => send(server.url + LARGE, 'GET', undefined, { key: owner.key })
    const response = await ask()
    const longest = await server.longestRound(ask)
    expect(response.headers.get('content-length')).toBeNull()
    const { orders, pagination } = response.body.data
    expect(pagination).toEqual({ total: ORDERS, page: 1, limit: 100, total_pages: 1 })
    const names = orders.map(({ order_tenant_id }: { order_tenant_id: string }) => order_tenant_id)
    expect(names).toEqual(Array.from({ length: ORDERS }, (_, n) => `large ${ORDERS - 1 - n}`))
    for (const order of [orders[0], orders.at(-1)]) {
      const single = (await owner.request('GET', `/orders/${order.id}`)).body.data
      expect(order.order_detail).toEqual(single.order_detail)
      expect(order).toMatchObject({ items_count: LINES, state_name: 'Pending' })
    }
    const overTrpc = await send(
      `${server.url}/trpc/orders.list?input=${encodeURIComponent('{"include_details":true,"limit":100}')}`,
      'GET',
      undefined,
      owner,
    )
    expect(overTrpc.body).toEqual({ result: { data: response.body.data } })
    expect(longest).toBeLessThan(atMost(50))
  })

  it('is sent at once if it is small, and not read for HEAD', async ({ server, owner, neighbour }) => {
    const [order] = (await owner.request('GET', '/orders?limit=1')).body.data.orders
    await createOrders(neighbour.request, 1)
    const small = await send(`${server.url}/api/v1/orders?include_details=true&order_tenant_id=none`, 'GET', undefined, owner)
    expect(Number(small.headers.get('content-length'))).toBeGreaterThan(0)
    expect(order).not.toHaveProperty('order_detail')
    const head = await fetch(server.url + LARGE, { method: 'HEAD', headers: { 'x-api-key': owner.key } })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('breaks the connection if it cannot be read completely', async ({ open, owner, service }) => {
    const { kysely } = service.db
    const response = await open(LARGE, owner.key)
    expect(response.statusCode).toBe(200)
    await sql`alter table order_lines rename to gone`.execute(kysely)
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    await closed(response)
    await sql`alter table gone rename to order_lines`.execute(kysely)
    expect(response.complete).toBe(false)
    expect(() => JSON.parse(Buffer.concat(chunks).toString())).toThrow('JSON')
  })

  it('is sent to one client of a tenant at a time: the tenant’s others wait or are rejected, other tenants are not affected', async ({
    server,
    owner,
    neighbour,
    open,
    metric,
  }) => {
    await open(LARGE, owner.key)
    const memory = await metric('process_resident_memory_bytes')
    const refused: (string | undefined)[] = []
    for (let n = 0; n < 60; n++)
      open(LARGE, owner.key).then(
        ({ statusCode, headers }) => statusCode === 503 && refused.push(headers['retry-after']),
        () => {},
      )
    await expect.poll(() => refused.length).toBeGreaterThanOrEqual(45)
    expect(new Set(refused)).toEqual(new Set(['5']))
    expect((await send(server.url + LARGE, 'GET', undefined, neighbour)).status).toBe(200)
    expect((await send(`${server.url}/api/v1/orders`, 'GET', undefined, owner)).status).toBe(200)
    const grown = (await metric('process_resident_memory_bytes')) - memory
    expect(grown).toBeLessThan(250e6)
    expect(await metric('fulfillment_response_bytes')).toBeLessThan(32 * 1_048_576)
  })
})

// These two wait for ten seconds, together.
it.concurrent('a client that reads nothing for ten seconds is disconnected', async ({ server, owner, open, metric, expect }) => {
  // Waits for the end of the previous test's responses.
  await expect.poll(async () => (await send(server.url + LARGE, 'GET', undefined, owner)).status).toBe(200)
  const response = await open(LARGE, owner.key)
  expect(response.statusCode).toBe(200)
  await expect.poll(() => metric('fulfillment_response_bytes')).toBeGreaterThan(0)
  await expect.poll(() => metric('fulfillment_response_bytes'), { interval: 1_100 }).toBe(0)
  // The rest of the sockets' buffers still arrives, but the response is incomplete.
  response.resume()
  await closed(response)
  expect(response.complete).toBe(false)
  expect((await send(server.url + LARGE, 'GET', undefined, owner)).status).toBe(200)
})

it.concurrent('a hundred large bodies at once wait for free memory, within the limit, without delaying another tenant', async ({
  server,
  tenant,
  neighbour,
  metric,
  expect,
}) => {
  const size = 5_000_000
  const memory = await metric('process_resident_memory_bytes')
  const uploads = Array.from({ length: 100 }, () => {
    const upload = request(`${server.url}/api/v1/stock/bulk`, {
      method: 'POST',
      agent: false,
      headers: { 'x-api-key': tenant.key, 'content-type': 'application/json', 'content-length': size },
    })
    upload.on('error', () => {})
    const status = once(upload, 'response').then(
      ([response]) => (response as IncomingMessage).resume().statusCode,
      () => 0,
    )
    // All but the last byte: the server holds the body in memory, and waits.
    upload.write(Buffer.alloc(size - 1, ' '))
    return { upload, status }
  })
  await delay(4_000)
  const held = await metric('fulfillment_body_bytes')
  expect(held).toBeGreaterThan(0)
  expect(held).toBeLessThanOrEqual(16 * 1_048_576)
  expect((await send(`${server.url}/api/v1/stock/bulk`, 'POST', { updates: [] }, neighbour)).status).toBe(200)
  const grown = (await metric('process_resident_memory_bytes')) - memory
  expect(grown).toBeLessThan(250e6)
  const refused = await Promise.race(uploads.map(({ status }) => status))
  expect(refused).toBe(503)
  for (const { upload } of uploads) upload.destroy()
  await Promise.all(uploads.map(({ status }) => status))
  await expect.poll(() => metric('fulfillment_body_bytes'), { interval: 1_100 }).toBe(0)
})
