import { describe, expect } from 'vitest'
import { it as base } from './support/it.ts'

/** A turn takes a few milliseconds; the rest is for garbage collection. A body of nested arrays produces the most garbage. */
const MAX_MS = 200
const SIZE = 5_200_000

type Post = (path: string, body: string, headers?: Record<string, string>) => Promise<number>

/** `it` with `post`, which returns the status. Modules and code that the first calls load and compile are not measured. */
const it = base.extend('post', { scope: 'file' }, async ({ service, server }): Promise<Post> => {
  const { key } = await service.newTenant()
  const post: Post = async (path, body, headers) => {
    const method = path.includes('/product/') ? 'PUT' : 'POST'
    const all = { 'x-api-key': key, 'content-type': 'application/json', ...headers }
    const response = await fetch(server.url + path, { method, body, headers: all })
    await response.text()
    return response.status
  }
  for (const path of ['/api/v1/orders', '/trpc/orders.create']) await post(path, '{"orders":[{},{}]}')
  await post('/api/v1/orders', listOf('orders', '{"order_detail":[{}]}', 100_000))
  return post
})

const repeated = (text: string, times: number): string => `[${Array.from({ length: times }, () => text).join(',')}]`
const listOf = (name: string, item: string, size: number): string =>
  `{"${name}":${repeated(item, Math.min(1_000, Math.ceil(size / item.length)))}}`

/** Arrays and objects of the maximum width, nested until the text has this size. */
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

/** Request bodies by their content. */
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
  'a delivery of wrong lines': () => ['/api/v1/inbound', `{"lines":${repeated('{"sku":1,"barcode":1,"quantity":"a"}', 1_000)}}`],
  'a return of unknown products, with unknown fields': () => [
    '/api/v1/returns',
    `{"lines":${lines(1_000, (n) => `{"sku":"s${n}","quantity":1,"x":[${wide(String, 4_000)}]}`)}}`,
  ],
  'a count of unknown products': () => ['/api/v1/counts', `{"product_ids":${lines(1_000, String)},"x":[${wide(() => '{}')}]}`],
  'a tRPC call': () => ['/trpc/orders.create', `{"orders":[{}],"x":[${wide((n) => `"k${n.toString(36)}":1`)}]}`],
  'a tRPC call with a wrong body': () => ['/trpc/products.bulk', `{"products":[${wide(() => '{}')}`],
  'a stock level with unknown fields': () => ['/api/v1/stock/product/1', `{"x":[${wide(() => '{}')}]}`],
}

describe('no request blocks the event loop', () => {
  it.for(Object.entries(SHAPES))('%s', { timeout: 120_000 }, async ([name, shape], { server, post }) => {
    const [path, body] = shape()
    const statuses: number[] = []
    const plain = await server.longestRound(async () => statuses.push(await post(path, body)))
    const keyed = await server.longestRound(async () => statuses.push(await post(path, body, { 'idempotency-key': name })))
    const together = await server.longestRound(async () =>
      statuses.push(...(await Promise.all(Array.from({ length: 3 }, () => post(path, body))))),
    )
    for (const status of statuses) expect(status).toBeLessThan(500)
    expect(Math.max(plain, keyed, together)).toBeLessThan(MAX_MS)
  })
})
