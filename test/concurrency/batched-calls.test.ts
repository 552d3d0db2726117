import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it } from '../support/it.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { expectConsistentStock, newProduct } from '../support/stock.ts'

type Product = Awaited<ReturnType<typeof newProduct>>

const MAXIMUM = 999_999_999_999

/** Sends all requests at once. While the first one runs, the others wait and then share statements. */
const atOnce = <T>(requests: readonly (() => Promise<T>)[]): Promise<T[]> => Promise.all(requests.map((request) => request()))

/** Expects that calls shared statements: there are fewer than half as many transactions as rows. */
async function expectShared(service: TestService, tenant: TestTenant, table: 'orders' | 'stock_movements'): Promise<void> {
  const { rows } = await sql<{ transactions: number; rows: number }>`
    select count(distinct xmin::text) as transactions, count(*) as rows from ${sql.table(table)} where tenant_id = ${tenant.id}`.execute(
    service.db.kysely,
  )
  const written = rows[0] ?? { transactions: 0, rows: 0 }
  expect(written.rows).toBeGreaterThan(0)
  expect(written.transactions).toBeLessThan(written.rows / 2)
}

const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }): string =>
  body.error?.code ?? String(status)

describe('calls that share a statement', () => {
  it('apply valid adjustments, and reject each of the others for its own reason', async ({ service, tenant }) => {
    const products = await Promise.all(Array.from({ length: 30 }, () => newProduct(tenant)))
    const adjust = (input: object) => () => tenant.request('POST', '/stock/adjustment', { location_id: 'A', ...input })
    await atOnce(products.map(({ id }) => adjust({ product_id: id, adjustment_quantity: 10 })))
    await expectShared(service, tenant, 'stock_movements')
    const [first, second, third] = products as [Product, Product, Product, ...Product[]]
    const responses = await atOnce([
      ...products.slice(3).map(({ id }) => adjust({ product_id: id, adjustment_quantity: -4 })),
      adjust({ product_id: first.id, adjustment_quantity: -11 }),
      adjust({ product_id: 999_999_999, adjustment_quantity: 1 }),
      adjust({ product_id: second.id, sku: first.sku, adjustment_quantity: 1 }),
      adjust({ sku: second.sku, adjustment_quantity: -3 }),
      adjust({ sku: 'nobody has it', adjustment_quantity: 1 }),
      adjust({ product_id: third.id, adjustment_quantity: MAXIMUM }),
    ])
    expect(responses.map(codeOf)).toEqual([
      ...Array.from({ length: 27 }, () => '200'),
      'adjustment_error',
      'not_found',
      'validation_error',
      '200',
      'not_found',
      'adjustment_error',
    ])
    expect(responses.slice(0, 27).map(({ body }) => body.data.stock)).toEqual(
      products.slice(3).map(({ id }) => ({ product_id: id, location_id: 'A', previous_quantity: 10, new_quantity: 6 })),
    )
    expect(responses[27]?.body.error.message).toContain('only 10 in stock')
    await expectConsistentStock(service.db, tenant)
  })

  it('keep the other adjustments if one exceeds the limit of a level', async ({ service, tenant }) => {
    const products = (await Promise.all(Array.from({ length: 12 }, () => newProduct(tenant)))).toSorted((a, b) => a.id - b.id)
    const adjust = (product_id: number, adjustment_quantity: number) => () =>
      tenant.request('POST', '/stock/adjustment', { product_id, location_id: 'A', adjustment_quantity })
    await atOnce(products.map(({ id }) => adjust(id, 5)))
    for (let round = 0; round < 5; round++) {
      const responses = await atOnce(products.map(({ id }, index) => adjust(id, index === 7 ? MAXIMUM : 1)))
      expect(responses.map(codeOf)).toEqual(products.map((_, index) => (index === 7 ? 'adjustment_error' : '200')))
    }
    const { rows } = await sql<{ quantity: number }>`
      select quantity from stock_levels where tenant_id = ${tenant.id} order by product_id`.execute(service.db.kysely)
    expect(rows.map(({ quantity }) => quantity)).toEqual(products.map((_, index) => (index === 7 ? 5 : 10)))
    await expectConsistentStock(service.db, tenant)
  })

  it('set levels, each with its own reason, and reject unknown products', async ({ service, tenant }) => {
    const products = await Promise.all(Array.from({ length: 20 }, () => newProduct(tenant)))
    const set = (id: number, quantity: number) => () =>
      tenant.request('PUT', `/stock/product/${id}`, { location_id: `L${quantity % 3}`, quantity, reason: `count ${quantity}` })
    const responses = await atOnce([set(999_999_999, 1), ...products.map(({ id }, index) => set(id, index))])
    expect(responses.map(codeOf)).toEqual(['not_found', ...products.map(() => '200')])
    for (const [index, { id }] of products.entries()) {
      expect(responses[index + 1]?.body.data).toMatchObject({ product_id: id, previous_quantity: 0, new_quantity: index })
      const { body } = await tenant.request('GET', `/stock/movements?product_id=${id}`)
      expect(body.data.movements).toMatchObject([{ reason: `count ${index}`, location_id: `L${index % 3}`, new_quantity: index }])
    }
    await expectShared(service, tenant, 'stock_movements')
    await expectConsistentStock(service.db, tenant)
  })

  it('apply all changes of the same product', async ({ service, tenant }) => {
    const product = await newProduct(tenant)
    const responses = await atOnce(
      Array.from({ length: 40 }, (_, index) => () => {
        const location_id = index % 2 === 0 ? 'A' : 'B'
        const named = index % 3 === 0 ? { sku: product.sku } : { product_id: product.id }
        return tenant.request('POST', '/stock/adjustment', { ...named, location_id, adjustment_quantity: 1 })
      }),
    )
    expect(responses.every(({ status }) => status === 200)).toBe(true)
    const { body } = await tenant.request('GET', `/stock/sku/${product.sku}`)
    expect(body.data.total_quantity).toBe(40)
    await expectConsistentStock(service.db, tenant)
  })

  it('create the orders of valid submissions, and reject the others for their own errors', async ({ service, tenant }) => {
    const { barcode } = await newProduct(tenant)
    const order = (name: string, fields: object = {}) => ({
      order_tenant_id: name,
      assembly_date: '2026-12-01',
      order_detail: [{ barcode, quantity: 1 }],
      ...fields,
    })
    const submit =
      (...orders: object[]) =>
      () =>
        tenant.request('POST', '/orders', { orders })
    const unknown = { order_detail: [{ barcode: 'none', quantity: 1 }] }
    const responses = await atOnce([
      ...Array.from({ length: 20 }, (_, index) => submit(order(`good ${index}`))),
      submit(order('half 1'), order('half 2', unknown)),
      submit(order('elsewhere', { warehouse_id: 999_999_999 })),
      submit(order('twice', unknown)),
      submit(order('twice')),
      submit(order('twice'), order('and one more')),
    ])
    expect(responses.map(codeOf)).toEqual([
      ...Array.from({ length: 20 }, () => '200'),
      'creation_error',
      'validation_error',
      'creation_error',
      '200',
      '200',
    ])
    expect(responses[20]?.body.error).toMatchObject({ message: expect.stringContaining('half 2'), details: [{ index: 1 }] })
    expect(responses.slice(0, 20).map(({ body }) => body.data.orders[0].order_tenant_id)).toEqual(
      Array.from({ length: 20 }, (_, index) => `good ${index}`),
    )
    expect(responses.slice(-2).map(({ body }) => [body.data.created_count, body.data.existing_count])).toEqual([
      [1, 0],
      [1, 1],
    ])
    const { body } = await tenant.request('GET', '/orders?limit=100')
    const names = Array.from({ length: 20 }, (_, index) => `good ${index}`)
    expect(body.data.orders.map(({ order_tenant_id }: { order_tenant_id: string }) => order_tenant_id).toSorted()).toEqual(
      [...names, 'twice', 'and one more'].toSorted(),
    )
    await expectShared(service, tenant, 'orders')
  })
})
