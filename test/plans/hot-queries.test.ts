import pg from 'pg'
import { describe, expect } from 'vitest'
import type { Caller, RequestContext } from '@fulfillment/server/procedures/context.ts'
import { createOrders } from '@fulfillment/server/domain/orders/create-orders.ts'
import { getOrder } from '@fulfillment/server/domain/orders/get-order.ts'
import { listOrders } from '@fulfillment/server/domain/orders/list-orders.ts'
import { getTimeline } from '@fulfillment/server/domain/timeline/get-timeline.ts'
import { KINDS } from '@fulfillment/server/domain/timeline/kinds.ts'
import { getProduct } from '@fulfillment/server/domain/products/get-product.ts'
import { adjustStock } from '@fulfillment/server/domain/stock/adjust-stock.ts'
import { bulkSetLevels } from '@fulfillment/server/domain/stock/bulk-set-levels.ts'
import { listQueue } from '@fulfillment/server/domain/picking/list-queue.ts'
import { reportOrders } from '@fulfillment/server/domain/reports/report-orders.ts'
import { listProducts } from '@fulfillment/server/domain/products/list-products.ts'
import { listLevels } from '@fulfillment/server/domain/stock/list-levels.ts'
import { listMovements } from '@fulfillment/server/domain/stock/list-movements.ts'
import { setLevel } from '@fulfillment/server/domain/stock/set-level.ts'
import { barcodeOf } from '../bench/load/requests.ts'
import { seedService } from '../bench/seed/seed-service.ts'
import type { Seed } from '../bench/seed/seed.ts'
import type { Reads } from './explain.ts'
import { it as base } from './it.ts'

/** A plan whose cost grows with the tenant reads tens of thousands of rows at these sizes. */
const SIZES = { products: 2_000, small: 1_000, large: 50_000, withLines: 1_000 }
/** Maximum number of counts that a list adds up: of 25 months, of two partial months and of those of the page, four or five a day. */
const NUMBERS = 25 * 5 + 4 * 31 * 5

interface Callers {
  /** A tenant with many orders, and stock of many products. */
  large: RequestContext
  /** A tenant with many products. */
  catalog: RequestContext
}

/** `it` with the seed of the benchmarks, and contexts of its tenants. */
const it = base
  .extend('seed', { scope: 'file' }, async ({ database }): Promise<Seed['service']> => {
    const seeding = new pg.Client({ connectionString: database.url })
    await seeding.connect()
    await seeding.query('set session_replication_role = replica')
    const seed = await seedService(database.db, seeding, SIZES)
    await seeding.query('vacuum analyze')
    await seeding.end()
    return seed
  })
  .extend('callers', { scope: 'file' }, async ({ seed, client, recorder }): Promise<Callers> => {
    const contextOf = async (tenantId: number) => recorder.contextOf(await callerOf(client, tenantId))
    return { large: await contextOf(seed.large.id), catalog: await contextOf(seed.catalog.id) }
  })

async function callerOf(client: pg.Client, tenantId: number): Promise<Pick<Caller, 'tenantId' | 'defaultWarehouse' | 'keyName'>> {
  const { rows } = await client.query('select id::int, name from warehouses where tenant_id = $1 and is_default', [tenantId])
  return { tenantId, defaultWarehouse: (rows as [{ id: number; name: string }])[0], keyName: 'test' }
}

const BIG_TABLES = ['orders', 'order_lines', 'stock_movements', 'stock_levels', 'products', 'events']

/** Expects that no big table is read as a whole, and that at most the given number of rows of each named table is read. */
function expectReads(reads: Reads, most: Record<string, number>): void {
  expect(reads.whole.filter((table) => BIG_TABLES.includes(table))).toEqual([])
  for (const table of BIG_TABLES)
    expect([table, reads.rows[table] ?? 0]).toEqual([table, expect.toSatisfy((rows: number) => rows <= (most[table] ?? 0))])
  for (const table of Object.keys(reads.rows).filter((name) => name in most)) {
    expect([table, reads.rows[table]]).toEqual([table, expect.toSatisfy((rows: number) => rows <= (most[table] ?? 0))])
  }
}

const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)

describe('a list of orders reads about as many rows as it returns', () => {
  const cases: [name: string, query: Partial<Parameters<typeof listOrders.run>[1]>][] = [
    ['first page', {}],
    ['page 20', { page: 20 }],
    ['page 500', { page: 500 }],
    ['last page', { page: 1_000 }],
    ['one state', { state_id: [5] }],
    ['two states, far', { state_id: [1, 3], page: 250 }],
    ['from a day on', { start_date: day(-300) }],
    ['until a day', { end_date: day(-300) }],
    ['between days, far', { start_date: day(-600), end_date: day(-100), page: 450 }],
    ['assembly date', { assembly_date: day(3) }],
    ['assembly date and state', { assembly_date: day(3), state_id: [7] }],
    ['with lines', { include_details: true }],
  ]
  it.for(cases)('%s', async ([, query], { recorder, callers }) => {
    const input = { page: 1, limit: 50, include_details: false, ...query }
    const reads = await recorder.readsOf(() => listOrders.run(callers.large, input))
    expectReads(reads, {
      orders: 1_500,
      order_lines: 150,
      order_counts: NUMBERS,
      order_month_counts: NUMBERS,
      order_assembly_counts: NUMBERS,
    })
  })
})

it.for(
  [50, 5].flatMap((limit) => [false, true].flatMap((isAlone) => [false, true].map((isFirst) => ({ limit, isAlone, isFirst })))),
)(
  'a page of $limit entries of a timeline reads the rows of its order alone, with a statement of its own: $isAlone, the first page: $isFirst',
  async ({ limit, isAlone, isFirst }, { seed, recorder, callers }) => {
    const context = recorder.contextOf({ ...callers.large.caller, scopes: ['admin' as const] }, { isAlone })
    const input = {
      id: seed.orders[1] - 7,
      limit,
      kind: [...KINDS],
      after: isFirst ? undefined : { at: new Date(0), rank: 0, id: '' },
    }
    const reads = await recorder.readsOf(() => getTimeline.run(context, input))
    // Of each source a page and one more.
    const most = limit + 1
    expectReads(reads, {
      orders: 1,
      picking_flows: 1,
      stock_movements: most,
      products: most,
      order_state_changes: 3,
      order_events: 6,
      order_calls: 5,
      returns: 0,
    })
    expect(reads.rows).toMatchObject({ stock_movements: Math.min(most, SIZES.large / SIZES.withLines), order_calls: 5 })
  },
)

describe('a list of orders up to an assembly date reads the orders of the page’s days, and counts', () => {
  const cases: [name: string, query: Partial<Parameters<typeof listOrders.run>[1]>][] = [
    ['overdue', { assembly_until: day(-1), state_id: [1, 2, 3] }],
    ['of all time', { assembly_until: day(300) }],
    ['of all time, far', { assembly_until: day(300), page: 450 }],
    ['of long ago', { assembly_until: day(-600) }],
  ]
  it.for(cases)('%s', async ([, query], { recorder, callers }) => {
    const reads = await recorder.readsOf(() =>
      listOrders.run(callers.large, { page: 1, limit: 50, include_details: false, ...query }),
    )
    // Orders of ten days of creation have one assembly date. The counts are read twice.
    expectReads(reads, { orders: 500, order_assembly_counts: 2 * 740 * 10 * 5 })
  })
})

it.for([
  ['created', 366 * 5, 0],
  // Orders of ten days of creation have one assembly date.
  ['assembly', 0, 366 * 10 * 5],
] as const)(
  'a report of orders by day, %s, reads counts alone',
  async ([by, orderCounts, assemblyCounts], { recorder, callers }) => {
    const reads = await recorder.readsOf(() =>
      reportOrders.run(callers.large, { since: new Date(Date.now() - 365 * 86_400_000), until: undefined, by }),
    )
    expectReads(reads, { order_counts: orderCounts, order_assembly_counts: assemblyCounts })
  },
)

/** The first row of a query. */
async function rowOf<Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row> {
  return (await client.query<Row>(text)).rows[0] as Row
}

describe('a search reads about as many records as match', () => {
  const search = ({ large }: Callers, query: object) =>
    listOrders.run(large, { page: 1, limit: 50, include_details: false, ...query })
  const searchProducts = ({ catalog }: Callers, query: object) =>
    listProducts.run(catalog, { page: 1, limit: 50, is_active: true, ...query })

  it.for([
    ['in the middle of a name', (name: string) => ({ customer_name: name.slice(2, 9) })],
    ['in another case', (name: string) => ({ customer_name: name.slice(2, 9).toUpperCase() })],
    ['with a state', (name: string) => ({ customer_name: name.slice(2, 9), state_id: [5] })],
    [
      'with an assembly date and days',
      (name: string) => ({ customer_name: name.slice(0, 6), assembly_date: day(3), start_date: day(-400) }),
    ],
  ] as const)('of orders by a text %s', async ([, query], { seed, client, recorder, callers }) => {
    const { name } = await rowOf<{ name: string }>(
      client,
      `select customer_name as name from orders where id = ${seed.orders[1]}`,
    )
    const { total } = await rowOf<{ total: number }>(
      client,
      `select count(*)::int as total from orders where strpos(lower(customer_name), lower('${name.slice(0, 6)}')) + strpos(lower(customer_name), lower('${name.slice(2, 9)}')) > 0`,
    )
    const reads = await recorder.readsOf(() => search(callers, query(name)))
    expectReads(reads, { orders: 2 * total + 200 })
  })

  it.for(['name', 'barcode', 'external_id'])(
    'of products by a part of the %s',
    async (column, { seed, client, recorder, callers }) => {
      const { text } = await rowOf<{ text: string }>(
        client,
        `select substr(${column}, 2, 8) as text from products where tenant_id = ${seed.catalog.id} order by id desc limit 1`,
      )
      const reads = await recorder.readsOf(() => searchProducts(callers, { search: text }))
      expectReads(reads, { products: 150 })
    },
  )

  it('of one that matches nothing reads nothing', async ({ recorder, callers }) => {
    expectReads(await recorder.readsOf(() => search(callers, { customer_name: 'qqq qqq' })), {})
    expectReads(await recorder.readsOf(() => searchProducts(callers, { search: 'qqq', category: 'category 1' })), {})
  })
})

it('a page of products reads no more than it shows, and none to count them', async ({ recorder, callers: { catalog } }) => {
  const reads = await recorder.readsOf(() => listProducts.run(catalog, { page: 2, limit: 50, is_active: true }))
  expectReads(reads, { products: 150 })
})

describe('the queue of orders to pick', () => {
  const queue = ({ large }: Callers, query: object) => listQueue.run(large, { page: 1, limit: 50, ...query })

  it('reads the orders of the page, in the order of an index', async ({ recorder, callers }) => {
    expectReads(await recorder.readsOf(() => queue(callers, {})), { orders: 150, order_lines: 150 })
    expectReads(await recorder.readsOf(() => queue(callers, { page: 20 })), { orders: 1_100, order_lines: 150 })
  })

  it('searched, compares only orders that are ready', async ({ client, recorder, seed, callers }) => {
    const { ready } = await rowOf<{ ready: number }>(
      client,
      `select count(*)::int as ready from orders where tenant_id = ${seed.large.id} and state_id in (1, 2)`,
    )
    expect(ready).toBeGreaterThan(SIZES.large / 5)
    expectReads(await recorder.readsOf(() => queue(callers, { search: 'SEED-17' })), { orders: ready + 150, order_lines: 150 })
  })
})

describe('a list of movements reads about as many rows as it returns', () => {
  const cases: [name: string, query: (product: number) => object][] = [
    ['first page', () => ({})],
    ['page 500', () => ({ page: 500 })],
    ['last page', () => ({ page: 1_000 })],
    ['of a product', (product) => ({ product_id: product })],
    ['of a product, by type', (product) => ({ product_id: product, movement_type: 'IN' })],
    ['of a location', () => ({ location_id: 'A-2' })],
    ['of a type', () => ({ movement_type: 'OUT' })],
    ['of a type at a location, far', () => ({ movement_type: 'OUT', location_id: 'A-2', page: 45 })],
    ['between days', () => ({ start_date: day(-400), end_date: day(-100) })],
    ['of a type between days, far', () => ({ movement_type: 'IN', start_date: day(-400), end_date: day(-100), page: 100 })],
  ]
  it.for(cases)('%s', async ([, query], { seed, recorder, callers }) => {
    const input = { page: 1, limit: 50, ...query(seed.firstProduct.large + 3) } as Parameters<typeof listMovements.run>[1]
    const reads = await recorder.readsOf(() => listMovements.run(callers.large, input))
    expectReads(reads, {
      stock_movements: 500,
      products: 50,
      movement_counts: NUMBERS,
      movement_month_counts: NUMBERS,
      movement_location_counts: NUMBERS,
      movement_product_counts: NUMBERS,
    })
  })
})

it('a page of stock levels reads only the rows it returns', async ({ seed, recorder, callers }) => {
  const after = { productId: seed.products[0] + 500, locationId: 'A-1' }
  const reads = await recorder.readsOf(() => listLevels.run(callers.large, { after, limit: 50 }))
  expectReads(reads, { stock_levels: 51, products: 51 })
})

describe('single records are read and written by key', () => {
  const calls: [
    name: string,
    call: (context: RequestContext, seed: Seed['service']) => Promise<unknown>,
    most: Record<string, number>,
  ][] = [
    ['an order', (context, seed) => getOrder.run(context, { id: seed.orders[1] }), { orders: 1, order_lines: 3 }],
    ['a product', (context, seed) => getProduct.run(context, { id: seed.products[0] }), { products: 1, stock_levels: 2 }],
    [
      'a new order',
      (context) =>
        createOrders.run(context, {
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
      (context, seed) => adjustStock.run(context, { product_id: seed.products[0], location_id: 'A-1', adjustment_quantity: -1 }),
      { products: 3, stock_levels: 2 },
    ],
    [
      'a set level',
      (context, seed) => setLevel.run(context, { productId: seed.products[0], location_id: 'A-1', quantity: 5 }),
      { products: 3 },
    ],
    [
      'a hundred set levels',
      (context, seed) =>
        bulkSetLevels.run(context, {
          updates: Array.from({ length: 100 }, (_, index) => ({
            product_id: seed.products[0] + index,
            location_id: 'A-1',
            quantity: 5,
          })),
        }),
      { products: 100 },
    ],
    [
      'a hundred set levels, two of one product',
      (context, seed) =>
        bulkSetLevels.run(context, {
          updates: Array.from({ length: 100 }, (_, index) => ({
            product_id: seed.products[0] + (index % 99),
            location_id: 'A-1',
            quantity: 5,
          })),
        }),
      { products: 400 },
    ],
    [
      'an adjustment of a level that is expected',
      (context, seed) => {
        const level = { product_id: seed.products[0], location_id: 'new', expected_quantity: 0 }
        return adjustStock.run(context, { ...level, adjustment_quantity: 5 })
      },
      { products: 3 },
    ],
    [
      'a set level that is expected',
      (context, seed) =>
        setLevel.run(context, { productId: seed.products[0], location_id: 'new', quantity: 5, expected_quantity: 0 }),
      { products: 3 },
    ],
    [
      'a hundred set levels, of which half are expected',
      (context, seed) =>
        bulkSetLevels.run(context, {
          updates: Array.from({ length: 100 }, (_, index) => ({
            product_id: seed.products[0] + index,
            location_id: index % 2 === 0 ? 'A-1' : 'new',
            quantity: 5,
            expected_quantity: 0,
          })),
        }),
      { products: 400, stock_levels: 100 },
    ],
  ]
  it.for(calls)('%s', async ([, call, most], { seed, recorder, callers }) => {
    expectReads(await recorder.readsOf(() => call(callers.large, seed)), most)
    const alone = recorder.contextOf(callers.large.caller, { isAlone: true })
    expectReads(await recorder.readsOf(() => call(alone, seed)), most)
  })
})
