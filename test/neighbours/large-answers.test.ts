import { once } from 'node:events'
import { get, request, type ClientRequest, type IncomingMessage } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startMonitoredServer, type MonitoredServer } from '../support/monitored-server.ts'
import { send, startService, type TestService, type TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { atMost } from '../support/patience.ts'

/** 27 MB in all: more than the sockets of both sides hold. */
const ORDERS = 40
const LINES = 1_000
const LARGE = '/api/v1/orders?include_details=true&limit=100'

let service: TestService
let server: MonitoredServer
let tenant: TestTenant
let other: TestTenant
beforeAll(async () => {
  service = await startService()
  server = await startMonitoredServer({ DATABASE_URL: service.databaseUrl, ROLE: 'api' })
  ;[tenant, other] = [await service.newTenant(), await service.newTenant()]
  await createOrders(tenant, ORDERS)
}, 120_000)
afterAll(async () => {
  await server.end('SIGKILL')
  await service.stop()
})

async function createOrders(of: TestTenant, count: number): Promise<void> {
  const { barcode } = await newProduct(of, { name: 'é'.repeat(255) })
  for (let n = 0; n < count; n++) {
    const order_detail = Array.from({ length: LINES }, () => ({ barcode, quantity: 1 }))
    await of.request('POST', '/orders', { order_tenant_id: `large ${n}`, assembly_date: '2030-01-01', order_detail })
  }
}

const opened: ClientRequest[] = []
afterEach(() => {
  for (const asked of opened.splice(0)) asked.destroy()
})

const open = async (path: string, key: string, url = server.url): Promise<IncomingMessage> => {
  const asked = get(url + path, { headers: { 'x-api-key': key }, agent: false })
  asked.on('error', () => {})
  opened.push(asked)
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  return response
}

/** Also when the connection broke, which is an error of the response. */
const closed = (response: IncomingMessage): Promise<void> => new Promise((resolve) => response.once('close', resolve))

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
}

describe('a list of orders with very many lines', () => {
  it('is whole, in its order, and does not hold the event loop', async () => {
    const ask = () => send(server.url + LARGE, 'GET', undefined, { key: tenant.key })
    const answer = await ask()
    const longest = await server.longestRound(ask)
    expect(answer.headers.get('content-length')).toBeNull()
    const { orders, pagination } = answer.body.data
    expect(pagination).toEqual({ total: ORDERS, page: 1, limit: 100, total_pages: 1 })
    const names = orders.map(({ order_tenant_id }: { order_tenant_id: string }) => order_tenant_id)
    expect(names).toEqual(Array.from({ length: ORDERS }, (_, n) => `large ${ORDERS - 1 - n}`))
    for (const order of [orders[0], orders.at(-1)]) {
      const single = (await tenant.request('GET', `/orders/${order.id}`)).body.data
      expect(order.order_detail).toEqual(single.order_detail)
      expect(order).toMatchObject({ items_count: LINES, state_name: 'Pending' })
    }
    const native = await send(
      `${server.url}/trpc/orders.list?input=${encodeURIComponent('{"include_details":true,"limit":100}')}`,
      'GET',
      undefined,
      tenant,
    )
    expect(native.body).toEqual({ result: { data: answer.body.data } })
    expect(longest).toBeLessThan(atMost(50))
  })

  it('is answered in one go when it is small, and HEAD without reading it', async () => {
    const [order] = (await tenant.request('GET', '/orders?limit=1')).body.data.orders
    await createOrders(other, 1)
    const small = await send(`${server.url}/api/v1/orders?include_details=true&order_tenant_id=none`, 'GET', undefined, tenant)
    expect(Number(small.headers.get('content-length'))).toBeGreaterThan(0)
    expect(order).not.toHaveProperty('order_detail')
    const head = await fetch(server.url + LARGE, { method: 'HEAD', headers: { 'x-api-key': tenant.key } })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('is never taken for whole when it could not be read to its end', async () => {
    const broken = await startService()
    const owner = await broken.newTenant()
    await createOrders(owner, ORDERS)
    const response = await open(LARGE, owner.key, broken.url)
    expect(response.statusCode).toBe(200)
    await sql`alter table order_lines rename to gone`.execute(broken.db.kysely)
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk))
    await closed(response)
    expect(response.complete).toBe(false)
    expect(() => JSON.parse(Buffer.concat(chunks).toString())).toThrow('JSON')
    await broken.stop()
  })

  it('is sent to one reader of a tenant at a time; others wait, or are refused, and no other tenant is', async () => {
    const unread = await open(LARGE, tenant.key)
    const memory = await metric('process_resident_memory_bytes')
    const refused: (string | undefined)[] = []
    for (let n = 0; n < 60; n++)
      open(LARGE, tenant.key).then(
        ({ statusCode, headers }) => statusCode === 503 && refused.push(headers['retry-after']),
        () => {},
      )
    await expect.poll(() => refused.length).toBeGreaterThanOrEqual(45)
    expect(new Set(refused)).toEqual(new Set(['5']))
    expect((await send(server.url + LARGE, 'GET', undefined, other)).status).toBe(200)
    expect((await send(`${server.url}/api/v1/orders`, 'GET', undefined, tenant)).status).toBe(200)
    const grown = (await metric('process_resident_memory_bytes')) - memory
    expect(grown).toBeLessThan(250e6)
    expect(await metric('fulfillment_answer_bytes')).toBeLessThan(32 * 1_048_576)
    unread.destroy()
  }, 60_000)
})

it('a reader that takes nothing for ten seconds is cut off', async () => {
  // Not before those of the test before have gone.
  await expect.poll(async () => (await send(server.url + LARGE, 'GET', undefined, tenant)).status).toBe(200)
  const response = await open(LARGE, tenant.key)
  expect(response.statusCode).toBe(200)
  await expect.poll(() => metric('fulfillment_answer_bytes')).toBeGreaterThan(0)
  await expect.poll(() => metric('fulfillment_answer_bytes'), { interval: 1_100 }).toBe(0)
  // What the sockets hold still comes, and is not all.
  response.resume()
  await closed(response)
  expect(response.complete).toBe(false)
  expect((await send(server.url + LARGE, 'GET', undefined, tenant)).status).toBe(200)
}, 90_000)

it('a hundred large bodies at once wait for room, hold little memory, and no other tenant up', async () => {
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
    // Everything but the end: each server that reads it has it all in memory.
    upload.write(Buffer.alloc(size - 1, ' '))
    return { upload, status }
  })
  await delay(4_000)
  const held = await metric('fulfillment_body_bytes')
  expect(held).toBeGreaterThan(0)
  expect(held).toBeLessThanOrEqual(16 * 1_048_576)
  expect((await send(`${server.url}/api/v1/stock/bulk`, 'POST', { updates: [] }, other)).status).toBe(200)
  const grown = (await metric('process_resident_memory_bytes')) - memory
  expect(grown).toBeLessThan(250e6)
  const refused = await Promise.race(uploads.map(({ status }) => status))
  expect(refused).toBe(503)
  for (const { upload } of uploads) upload.destroy()
  await Promise.all(uploads.map(({ status }) => status))
  await expect.poll(() => metric('fulfillment_body_bytes'), { interval: 1_100 }).toBe(0)
}, 60_000)
