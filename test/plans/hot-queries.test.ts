import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { Caller, RequestContext } from '../../server/src/context.ts'
import { openDatabase } from '../../server/src/database/database.ts'
import { createOrders } from '../../server/src/orders/create-orders.ts'
import { getOrder } from '../../server/src/orders/get-order.ts'
import { listOrders } from '../../server/src/orders/list-orders.ts'
import { getProduct } from '../../server/src/products/get-product.ts'
import { adjustStock } from '../../server/src/stock/adjust-stock.ts'
import { bulkSetLevels } from '../../server/src/stock/bulk-set-levels.ts'
import { listLevels } from '../../server/src/stock/list-levels.ts'
import { listMovements } from '../../server/src/stock/list-movements.ts'
import { setLevel } from '../../server/src/stock/set-level.ts'
import { barcodeOf } from '../bench/load/requests.ts'
import { seedService } from '../bench/seed/seed-service.ts'
import type { Seed } from '../bench/seed/seed.ts'
import { cloneDatabase } from '../support/test-database.ts'
import { Recorder, type Reads } from './explain.ts'

/** Enough that a plan which grows with the tenant reads tens of thousands of rows. */
const SIZES = { products: 2_000, small: 1_000, large: 100_000, withLines: 2_000 }
/** Numbers of records that a list may add up: of 25 months, of two parts of months and of those that a page lies in, four or five a day. */
const NUMBERS = 25 * 5 + 4 * 31 * 5

let seed: Seed['service']
let recorder: Recorder
let context: RequestContext
let end: () => Promise<void>

beforeAll(async () => {
  const database = await cloneDatabase(inject('postgresUrl'))
  const db = openDatabase(database.url)
  const seeding = new pg.Client({ connectionString: database.url })
  await seeding.connect()
  await seeding.query('set session_replication_role = replica')
  seed = await seedService(db, seeding, SIZES)
  await seeding.query('vacuum analyze')
  await seeding.end()
  const client = new pg.Client({
    connectionString: database.url,
    options: '-c timezone=UTC -c plan_cache_mode=force_generic_plan',
  })
  await client.connect()
  recorder = new Recorder(client)
  context = recorder.contextOf(await callerOf(client, seed.large.id))
  end = async () => {
    await client.end()
    await db.close()
    await database.drop()
  }
}, 120_000)
afterAll(() => end())

async function callerOf(client: pg.Client, tenantId: number): Promise<Pick<Caller, 'tenantId' | 'defaultWarehouse' | 'keyName'>> {
  const { rows } = await client.query('select id::int, name from warehouses where tenant_id = $1 and is_default', [tenantId])
  return { tenantId, defaultWarehouse: (rows as [{ id: number; name: string }])[0], keyName: 'test' }
}

const BIG_TABLES = ['orders', 'order_lines', 'stock_movements', 'stock_levels', 'products', 'events']

/** No big table is read as a whole, and of each named one no more rows than given are looked at. */
function expectReads(reads: Reads, most: Record<string, number>): void {
  expect(reads.whole.filter((table) => BIG_TABLES.includes(table))).toEqual([])
  for (const table of BIG_TABLES)
    expect([table, reads.rows[table] ?? 0]).toEqual([table, expect.toSatisfy((rows: number) => rows <= (most[table] ?? 0))])
  for (const table of Object.keys(reads.rows).filter((name) => name in most)) {
    expect([table, reads.rows[table]]).toEqual([table, expect.toSatisfy((rows: number) => rows <= (most[table] ?? 0))])
  }
}

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

describe('a list of orders reads about as many orders as it shows', () => {
  const cases: [name: string, query: Partial<Parameters<typeof listOrders>[1]>][] = [
    ['first page', {}],
    ['page 20', { page: 20 }],
    ['page 1,000', { page: 1_000 }],
    ['last page', { page: 2_000 }],
    ['one state', { state_id: [5] }],
    ['two states, far', { state_id: [1, 3], page: 500 }],
    ['from a day on', { start_date: day(-300) }],
    ['until a day', { end_date: day(-300) }],
    ['between days, far', { start_date: day(-600), end_date: day(-100), page: 900 }],
    ['assembly date', { assembly_date: day(3) }],
    ['assembly date and state', { assembly_date: day(3), state_id: [7] }],
    ['with lines', { include_details: true }],
  ]
  it.each(cases)('%s', async (_name, query) => {
    const input = { page: 1, limit: 50, include_details: false, ...query }
    const reads = await recorder.readsOf(() => listOrders(context, input))
    expectReads(reads, {
      orders: 3_000,
      order_lines: 150,
      order_counts: NUMBERS,
      order_month_counts: NUMBERS,
      order_assembly_counts: NUMBERS,
    })
  })
})

describe('a list of movements reads about as many movements as it shows', () => {
  const cases: [name: string, query: (product: number) => object][] = [
    ['first page', () => ({})],
    ['page 1,000', () => ({ page: 1_000 })],
    ['last page', () => ({ page: 2_000 })],
    ['of a product', (product) => ({ product_id: product })],
    ['of a product, by type', (product) => ({ product_id: product, movement_type: 'IN' })],
    ['of a location', () => ({ location_id: 'A-2' })],
    ['of a type', () => ({ movement_type: 'OUT' })],
    ['of a type at a location, far', () => ({ movement_type: 'OUT', location_id: 'A-2', page: 90 })],
    ['between days', () => ({ start_date: day(-400), end_date: day(-100) })],
    ['of a type between days, far', () => ({ movement_type: 'IN', start_date: day(-400), end_date: day(-100), page: 200 })],
  ]
  it.each(cases)('%s', async (_name, query) => {
    const input = { page: 1, limit: 50, ...query(seed.firstProduct.large + 3) } as Parameters<typeof listMovements>[1]
    const reads = await recorder.readsOf(() => listMovements(context, input))
    expectReads(reads, {
      stock_movements: 1_000,
      products: 50,
      movement_counts: NUMBERS,
      movement_month_counts: NUMBERS,
      movement_location_counts: NUMBERS,
      movement_product_counts: NUMBERS,
    })
  })
})

it('a page of stock levels reads no more than it shows', async () => {
  const after = { productId: seed.products[0] + 500, locationId: 'A-1' }
  const reads = await recorder.readsOf(() => listLevels(context, { after, limit: 50 }))
  expectReads(reads, { stock_levels: 51, products: 51 })
})

describe('single records are read and written by their keys', () => {
  const calls: [name: string, call: () => Promise<unknown>, most: Record<string, number>][] = [
    ['an order', () => getOrder(context, { id: seed.orders[1] }), { orders: 1, order_lines: 3 }],
    ['a product', () => getProduct(context, { id: seed.products[0] }), { products: 1, stock_levels: 2 }],
    [
      'a new order',
      () =>
        createOrders(context, {
          orders: [
            {
              order_tenant_id: 'new',
              assembly_date: day(1),
              order_detail: [1, 2, 3].map((number) => ({ barcode: barcodeOf(number), quantity: 1 })),
            },
          ],
        }),
      { products: 3, orders: 1 },
    ],
    [
      'an adjustment',
      () => adjustStock(context, { product_id: seed.products[0], location_id: 'A-1', adjustment_quantity: -1 }),
      { products: 3, stock_levels: 1 },
    ],
    ['a set level', () => setLevel(context, { productId: seed.products[0], location_id: 'A-1', quantity: 5 }), { products: 3 }],
    [
      'a hundred set levels',
      () =>
        bulkSetLevels(context, {
          updates: Array.from({ length: 100 }, (_, index) => ({
            product_id: seed.products[0] + index,
            location_id: 'A-1',
            quantity: 5,
          })),
        }),
      { products: 400 },
    ],
  ]
  it.each(calls)('%s', async (_name, call, most) => {
    const reads = await recorder.readsOf(call)
    expectReads(reads, most)
  })
})
