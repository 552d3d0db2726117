import type { RequestPlan } from '../load/requests.ts'
import { compare, CONNECTIONS, type Contender } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { PICKED, type Seed, type SeededTenant, type Side } from '../seed/seed.ts'
import { startBare, startService } from '../servers.ts'

interface Comparison {
  name: string
  title: string
  must: number
  aim: number
  unit?: string
  tenant: 'small' | 'large' | 'written'
  plan(side: Side, seed: Seed): RequestPlan
  /** The plan for the bare server, if it differs. It never has keys, which the bare server does not support. */
  barePlan?(side: Side, seed: Seed): RequestPlan
  /** A single caller; the median time of a response is compared. */
  alone?: boolean
  perRequest?: number
  barePerRequest?: number
}

/** Single writes, with an `Idempotency-Key`, as the SDK sends them, and without. */
const WRITES = {
  order: (_side, { sizes }) => ({ kind: 'createOrder', products: sizes.products }),
  adjustment: ({ writtenProducts }) => ({ kind: 'adjustStock', ids: writtenProducts }),
  setLevel: ({ writtenProducts }) => ({ kind: 'setStock', ids: writtenProducts }),
  pick: ({ flows }, { sizes }) => ({ kind: 'pick', ids: flows, lines: PICKED.lines, products: sizes.products }),
} satisfies Record<string, Comparison['plan']>

const keyed =
  (plan: Comparison['plan']): Comparison['plan'] =>
  (side, seed) => ({ ...plan(side, seed), keyed: true })

const KEYED: Comparison[] = [
  {
    name: 'create-order-keyed',
    title: 'POST /orders, 3 lines, with an `Idempotency-Key`',
    must: 1,
    aim: 1.4,
    tenant: 'written',
    plan: keyed(WRITES.order),
  },
  {
    name: 'adjust-stock-keyed',
    title: 'POST /stock/adjustment, with a key',
    must: 0.8,
    aim: 1,
    tenant: 'written',
    plan: keyed(WRITES.adjustment),
  },
  {
    name: 'set-stock-keyed',
    title: 'PUT /stock/product/{id}, with a key',
    must: 0.8,
    aim: 1,
    tenant: 'written',
    plan: keyed(WRITES.setLevel),
  },
  {
    name: 'pick-keyed',
    title: 'POST /flows/{id}/picks, with a key',
    must: 0.8,
    aim: 1,
    tenant: 'written',
    plan: keyed(WRITES.pick),
  },
  {
    name: 'create-order-keyed-alone',
    title: 'time of POST /orders with a key, one caller alone',
    must: 1.2,
    aim: 1,
    alone: true,
    tenant: 'written',
    plan: keyed(WRITES.order),
  },
  {
    name: 'create-order-alone',
    title: 'the same without a key',
    must: 1.1,
    aim: 1,
    alone: true,
    tenant: 'written',
    plan: WRITES.order,
  },
  {
    name: 'adjust-stock-alone',
    title: 'time of POST /stock/adjustment, one caller alone',
    must: 1.5,
    aim: 1.2,
    alone: true,
    tenant: 'written',
    plan: WRITES.adjustment,
  },
]

const COMPARISONS: Comparison[] = [
  ...KEYED,
  {
    name: 'get-order',
    title: 'GET /orders/{id}',
    must: 0.9,
    aim: 1,
    tenant: 'large',
    plan: ({ orders }) => ({ kind: 'getOrder', ids: orders }),
  },
  {
    name: 'get-product',
    title: 'GET /products/{id}',
    must: 0.9,
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
    plan: WRITES.order,
  },
  {
    name: 'adjust-stock',
    title: 'POST /stock/adjustment',
    must: 0.75,
    aim: 1,
    tenant: 'written',
    plan: WRITES.adjustment,
  },
  {
    name: 'set-stock',
    title: 'PUT /stock/product/{id}',
    must: 0.75,
    aim: 1,
    tenant: 'written',
    plan: WRITES.setLevel,
  },
  {
    name: 'pick',
    title: 'POST /flows/{id}/picks',
    must: 0.75,
    aim: 1,
    tenant: 'written',
    plan: WRITES.pick,
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
    must: 0.7,
    aim: 0.85,
    tenant: 'written',
    plan: (_side, { sizes }) => ({ kind: 'bulkProducts', items: 100, products: sizes.products }),
  },
  {
    name: 'bulk-stock',
    title: 'POST /stock/bulk, 100 items',
    must: 0.8,
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
    barePlan: WRITES.order,
    perRequest: 300,
    barePerRequest: 3,
  },
]

/** Rows that compare the service, with all features, with the bare server. */
export const againstBare: Row[] = COMPARISONS.map((comparison) => ({
  name: comparison.name,
  title: comparison.title,
  must: comparison.must,
  aim: comparison.aim,
  higherIsBetter: comparison.alone !== true,
  comparesVersions: true,
  unit: comparison.alone === true ? 'ms' : (comparison.unit ?? 'requests/s'),
  measure: (bench) => measure(bench, comparison),
}))

async function measure(
  bench: Bench,
  { tenant, plan, barePlan = plan, perRequest = 1, barePerRequest = 1, alone = false }: Comparison,
): Promise<Measurement> {
  const { seed, url } = bench.database
  const { key }: SeededTenant = seed.service[tenant]
  const { before } = bench
  const service = await startService(url, bench)
  const counterpart = before === undefined ? await startBare(url) : await startService(url, { ...bench, folder: before })
  const ours: Contender = { ...service, apiKey: key, plan: plan(seed.service, seed), perRequest }
  const bare = { plan: { ...barePlan(seed.bare, seed), keyed: false }, perRequest: barePerRequest }
  const other: Contender = { ...ours, ...counterpart, ...(before === undefined ? bare : {}) }
  try {
    return await (alone ? compare(bench, ours, other, 1, 'latency') : compare(bench, ours, other, CONNECTIONS))
  } finally {
    await Promise.all([service.stop(), counterpart.stop()])
  }
}
