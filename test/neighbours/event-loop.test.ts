import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMonitoredServer, type MonitoredServer } from '../support/monitored-server.ts'
import { startService, type TestService, type TestTenant } from '../support/service.ts'

/** A turn is 8 ms; the rest is for the collection of garbage, of which a body of nested arrays makes most. */
const MOST_MS = 200
const SIZE = 5_200_000

let service: TestService
let server: MonitoredServer
let tenant: TestTenant
beforeAll(async () => {
  service = await startService()
  server = await startMonitoredServer({ DATABASE_URL: service.databaseUrl, ROLE: 'api' })
  tenant = await service.newTenant()
  // What is loaded and compiled at the first call is not measured.
  for (const path of ['/api/v1/orders', '/trpc/orders.create']) await post(path, '{"orders":[{},{}]}')
  await post('/api/v1/orders', listOf('orders', '{"order_detail":[{}]}', 100_000))
}, 120_000)
afterAll(async () => {
  await server.end('SIGKILL')
  await service.stop()
})

async function post(path: string, body: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const method = path.includes('/product/') ? 'PUT' : 'POST'
  const answer = await fetch(server.url + path, {
    method,
    body,
    headers: { 'x-api-key': tenant.key, 'content-type': 'application/json', ...headers },
  })
  return { status: answer.status, text: await answer.text() }
}

const repeated = (text: string, times: number): string => `[${Array.from({ length: times }, () => text).join(',')}]`
const listOf = (name: string, item: string, size: number): string =>
  `{"${name}":${repeated(item, Math.min(1_000, Math.ceil(size / item.length)))}}`

/** Arrays and objects as wide as is allowed, nested until the text has its size. */
function wide(item: (n: number) => string, size = SIZE): string {
  let n = 0
  const groups: string[] = []
  for (let length = 0; length < size;) {
    const items: string[] = []
    for (let i = 0; i < 9_000 && length < size; i++) {
      const text = item(n++)
      items.push(text)
      length += text.length + 1
    }
    groups.push(items.join(','))
  }
  return groups.map((text) => (text.startsWith('"k') ? `{${text}}` : `[${text}]`)).join(',')
}

const ORDER = '"order_tenant_id":"x","assembly_date":"2030-01-01"'
const lines = (count: number, line: (n: number) => string) => `[${Array.from({ length: count }, (_, n) => line(n)).join(',')}]`
let orders = 0
const order = (detail: string): string =>
  `{"order_tenant_id":"o${orders++}","assembly_date":"2030-01-01","order_detail":${detail}}`

/** Bodies by what they are made of. */
const SHAPES: Record<string, () => [path: string, body: string]> = {
  'orders of empty lines, 120 kB': () => ['/api/v1/orders', repeated(`{"order_detail":${repeated('{}', 10)}}`, 1_000)],
  'orders of empty lines, 3 MB': () => ['/api/v1/orders', repeated(`{"order_detail":${repeated('{}', 999)}}`, 1_000)],
  'orders of lines with three mistakes each': () => [
    '/api/v1/orders',
    repeated(`{${ORDER},"order_detail":${repeated('{"barcode":"","quantity":0,"price":-1}', 100)}}`, 1_000),
  ],
  'valid orders of many lines': () => [
    '/api/v1/orders',
    `[${Array.from({ length: 150 }, () => order(lines(1_000, (n) => `{"barcode":"b${n}","quantity":1}`))).join(',')}]`,
  ],
  'an order with unknown numbers': () => ['/api/v1/orders', `{"orders":[{}],"x":[${wide((n) => String(n / 7))}]}`],
  'an order with names that do not repeat': () => [
    '/api/v1/orders',
    `{"orders":[{}],"x":[${wide((n) => `"k${n.toString(36)}":1`)}]}`,
  ],
  'empty objects': () => ['/api/v1/orders', `{"orders":[{}],"x":[${wide(() => '{}')}]}`],
  'nested arrays': () => ['/api/v1/orders', `{"orders":[{}],"x":[${wide(() => `${'['.repeat(50)}${']'.repeat(50)}`)}]}`],
  escapes: () => ['/api/v1/orders', `{"orders":[{}],"x":"${'\\u0041'.repeat(SIZE / 6)}"}`],
  'a long number': () => ['/api/v1/orders', `{"orders":[{}],"x":0.${'3'.repeat(SIZE)}}`],
  'white space': () => ['/api/v1/orders', `{"orders":[{}],"x":${' '.repeat(SIZE)}1}`],
  'text that ends too early': () => ['/api/v1/orders', `{"orders":[${wide(() => '{}')}`],
  'bulk products with long unknown fields': () => [
    '/api/v1/products/bulk',
    listOf('products', `{"barcode":"b","x":[${wide((n) => String(n), 500_000)}]}`, SIZE),
  ],
  'bulk products that are wrong': () => [
    '/api/v1/products/bulk',
    repeated('{"barcode":1,"name":1,"sku":1,"category":1,"price":"","weight":""}', 1_000).replace(/^/, '{"products":') + '}',
  ],
  'bulk stock that is wrong': () => [
    '/api/v1/stock/bulk',
    `{"updates":${repeated('{"product_id":"","sku":1,"location_id":1,"quantity":"a"}', 1_000)}}`,
  ],
  'a native call': () => ['/trpc/orders.create', `{"orders":[{}],"x":[${wide((n) => `"k${n.toString(36)}":1`)}]}`],
  'a native call with a wrong body': () => ['/trpc/products.bulk', `{"products":[${wide(() => '{}')}`],
  'a stock level with unknown fields': () => ['/api/v1/stock/product/1', `{"x":[${wide(() => '{}')}]}`],
}

describe('no request holds the event loop', () => {
  it.each(Object.entries(SHAPES))(
    '%s',
    async (name, shape) => {
      const [path, body] = shape()
      const answers: { status: number }[] = []
      const plain = await server.longestRound(async () => answers.push(await post(path, body)))
      const keyed = await server.longestRound(async () => answers.push(await post(path, body, { 'idempotency-key': name })))
      const together = await server.longestRound(async () =>
        answers.push(...(await Promise.all(Array.from({ length: 3 }, () => post(path, body))))),
      )
      for (const { status } of answers) expect(status).toBeLessThan(500)
      expect(Math.max(plain, keyed, together)).toBeLessThan(MOST_MS)
    },
    120_000,
  )
})
