import type { RequestPlan } from '../load/requests.ts'
import { compare, CONNECTIONS, type Contender } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import type { Seed, SeededTenant, Side } from '../seed/seed.ts'
import { startBare, startService } from '../servers.ts'

interface Comparison {
  name: string
  title: string
  must: number
  aim: number
  unit?: string
  tenant: 'small' | 'large' | 'written'
  plan(side: Side, seed: Seed): RequestPlan
  /** What the bare server is asked, when it is not the same. */
  barePlan?(side: Side, seed: Seed): RequestPlan
  perRequest?: number
  barePerRequest?: number
}

const COMPARISONS: Comparison[] = [
  {
    name: 'get-order',
    title: 'GET /orders/{id}',
    must: 0.75,
    aim: 1,
    tenant: 'large',
    plan: ({ orders }) => ({ kind: 'getOrder', ids: orders }),
  },
  {
    name: 'get-product',
    title: 'GET /products/{id}',
    must: 0.75,
    aim: 1,
    tenant: 'large',
    plan: ({ products }) => ({ kind: 'getProduct', ids: products }),
  },
  {
    name: 'create-order',
    title: 'POST /orders, 3 lines',
    must: 1.2,
    aim: 1.6,
    tenant: 'written',
    plan: (_side, { sizes }) => ({ kind: 'createOrder', products: sizes.products }),
  },
  {
    name: 'adjust-stock',
    title: 'POST /stock/adjustment',
    must: 0.75,
    aim: 1,
    tenant: 'written',
    plan: ({ writtenProducts }) => ({ kind: 'adjustStock', ids: writtenProducts }),
  },
  {
    name: 'set-stock',
    title: 'PUT /stock/product/{id}',
    must: 0.75,
    aim: 1,
    tenant: 'written',
    plan: ({ writtenProducts }) => ({ kind: 'setStock', ids: writtenProducts }),
  },
  {
    name: 'list-orders',
    title: 'GET /orders, tenant with 1,000 orders',
    must: 0.75,
    aim: 1,
    tenant: 'small',
    plan: () => ({ kind: 'listOrders' }),
  },
  {
    name: 'bulk-products',
    title: 'POST /products/bulk, 100 items',
    must: 0.6,
    aim: 0.85,
    tenant: 'written',
    plan: (_side, { sizes }) => ({ kind: 'bulkProducts', items: 100, products: sizes.products }),
  },
  {
    name: 'bulk-stock',
    title: 'POST /stock/bulk, 100 items',
    must: 0.6,
    aim: 0.85,
    tenant: 'written',
    plan: ({ writtenProducts }, { sizes }) => ({ kind: 'bulkStock', items: 100, products: sizes.products, ids: writtenProducts }),
  },
  {
    name: 'create-100-orders',
    title: 'POST /orders with 100 orders of 3 lines, in lines, over single orders of the bare server',
    must: 3.5,
    aim: 7,
    unit: 'lines/s',
    tenant: 'written',
    plan: (_side, { sizes }) => ({ kind: 'createOrders', items: 100, products: sizes.products }),
    barePlan: (_side, { sizes }) => ({ kind: 'createOrder', products: sizes.products }),
    perRequest: 300,
    barePerRequest: 3,
  },
]

/** Rows in which ours, with everything on, takes turns with the bare server. */
export const againstBare: Row[] = COMPARISONS.map((comparison) => ({
  name: comparison.name,
  title: comparison.title,
  must: comparison.must,
  aim: comparison.aim,
  higherIsBetter: true,
  unit: comparison.unit ?? 'requests/s',
  measure: (bench) => measure(bench, comparison),
}))

async function measure(
  bench: Bench,
  { tenant, plan, barePlan = plan, perRequest = 1, barePerRequest = 1 }: Comparison,
): Promise<Measurement> {
  const { seed, url } = bench.database
  const { key }: SeededTenant = seed.service[tenant]
  const service = await startService(url, bench)
  const bare = await startBare(url)
  const ours: Contender = { ...service, apiKey: key, plan: plan(seed.service, seed), perRequest }
  const other: Contender = { ...bare, apiKey: key, plan: barePlan(seed.bare, seed), perRequest: barePerRequest }
  try {
    return await compare(bench, ours, other, CONNECTIONS)
  } finally {
    await Promise.all([service.stop(), bare.stop()])
  }
}
