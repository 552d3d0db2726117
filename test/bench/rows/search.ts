import pg from 'pg'
import type { Bench, Row } from '../row.ts'
import { comparePlans } from './growth.ts'

const TEXTS = 500
/** The shortest searched text, in characters. */
const SHORTEST = 3
const LONGEST = 10

/** Query strings that search for any part of a name, barcode or SKU, all different, and the number of records they find. */
async function searchesOf(
  bench: Bench,
  { parameter, table, column, tenantId }: { parameter: string; table: string; column: string; tenantId: number },
): Promise<string[]> {
  const client = new pg.Client({ connectionString: bench.database.url })
  await client.connect()
  try {
    const { rows } = await client.query<{ text: string }>(
      `select substr(text, 1 + get_byte(h, 0) % (length(text) - length + 1), length) as text
       from (select ${column} as text, id, decode(md5(id::text), 'hex') as h from ${table} where tenant_id = ${tenantId} order by md5(id::text) limit ${TEXTS}) r
       cross join lateral (select least(length(text), ${SHORTEST} + get_byte(h, 1) % ${LONGEST - SHORTEST + 1}) as length) l`,
    )
    return rows.map(({ text }) => `${parameter}=${encodeURIComponent(text)}`)
  } finally {
    await client.end()
  }
}

const BY_STATE = { kind: 'listOrders', query: 'state_id=5' } as const

/** Rows that compare searches for few records among a million with a plain list. */
export const search: Row[] = [
  {
    name: 'search-orders',
    title: `GET /orders?customer_name=, any ${SHORTEST} to ${LONGEST} characters of a million names, over state_id=`,
    must: 0.3,
    aim: 0.6,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: async (bench) => {
      const { large } = bench.database.seed.service
      const source = { parameter: 'customer_name', table: 'orders', column: 'customer_name', tenantId: large.id }
      return comparePlans(
        bench,
        [large.key, { kind: 'listOrders', queries: await searchesOf(bench, source) }],
        [large.key, BY_STATE],
      )
    },
  },
  {
    name: 'search-products',
    title: `GET /products?search=, any ${SHORTEST} to ${LONGEST} characters of a million names, barcodes and SKUs, over orders by state_id=`,
    must: 0.3,
    aim: 0.6,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: async (bench) => {
      const { large, catalog } = bench.database.seed.service
      const source = { parameter: 'search', table: 'products', tenantId: catalog.id }
      const queries = await Promise.all(
        ['name', 'barcode', 'external_id'].map((column) => searchesOf(bench, { ...source, column })),
      )
      return comparePlans(bench, [catalog.key, { kind: 'listProducts', queries: queries.flat() }], [large.key, BY_STATE])
    },
  },
  {
    name: 'search-index',
    title: 'POST /orders, 3 lines, each with a new customer name to be found, over without one',
    must: 0.9,
    aim: 0.95,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => {
      const { sizes, service } = bench.database.seed
      const plan = { kind: 'createOrder', products: sizes.products } as const
      return comparePlans(
        bench,
        [service.written.key, { ...plan, customer: 'new' }],
        [service.written.key, { ...plan, customer: 'none' }],
      )
    },
  },
  {
    name: 'list-products-large',
    title: 'GET /products, 1,000,000 products over 10,000: first page',
    must: 0.5,
    aim: 0.8,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => {
      const { small, catalog } = bench.database.seed.service
      return comparePlans(bench, [catalog.key, { kind: 'listProducts' }], [small.key, { kind: 'listProducts' }])
    },
  },
  {
    name: 'feed-topic',
    title: 'GET /events?event=, a topic of 10 events among 1,000,000, over without a topic',
    must: 0.5,
    aim: 0.8,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => {
      const { large } = bench.database.seed.service
      return comparePlans(
        bench,
        [large.key, { kind: 'listEvents', query: 'event=product/deleted' }],
        [large.key, { kind: 'listEvents' }],
      )
    },
  },
]
