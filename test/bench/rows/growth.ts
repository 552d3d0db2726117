import { compare, type Contender, type Measure } from '../measure.ts'
import type { RequestPlan } from '../load/requests.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import type { Seed } from '../seed/seed.ts'
import { startService } from '../servers.ts'

const DAY_MS = 86_400_000
const day = (offset: number): string => new Date(Date.now() + offset * DAY_MS).toISOString().slice(0, 10)

/** Each finds at least a full page in both tenants of the seed. */
const ORDER_FILTERS: Record<string, string> = {
  'one state': 'state_id=5',
  'two states': 'state_id=1&state_id=3',
  'created from': `start_date=${day(-3)}`,
  'created until': `end_date=${day(-3)}`,
  'created between': `start_date=${day(-5)}&end_date=${day(-2)}`,
  'assembly date': `assembly_date=${day(3)}`,
  'state and days': `state_id=5&start_date=${day(-5)}&end_date=${day(-2)}`,
  'lines included': 'include_details=true',
}

const MOVEMENT_FILTERS: Record<string, (seed: Seed, tenant: 'small' | 'large') => string> = {
  none: () => '',
  product: (seed, tenant) => `product_id=${seed.service.firstProduct[tenant] + 3}`,
  location: () => 'location_id=A-2',
  type: () => 'movement_type=OUT',
  'type and location': () => 'movement_type=OUT&location_id=A-2',
  days: () => `start_date=${day(-5)}&end_date=${day(-2)}`,
  'type and days': () => `movement_type=IN&start_date=${day(-5)}&end_date=${day(-2)}`,
}

/** Rows that compare the service with itself: a tenant with a million records with a tenant with a thousand. */
export const growth: Row[] = [
  {
    name: 'list-orders-large',
    title: 'GET /orders, 1,000,000 orders over 1,000: first page',
    must: 0.8,
    aim: 0.95,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => compareTenants(bench, 'listOrders', '', ''),
  },
  {
    name: 'list-orders-filtered',
    title: 'the same with the slowest filter',
    must: 0.5,
    aim: 0.8,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: async (bench) => {
      const measured = []
      for (const [name, query] of Object.entries(ORDER_FILTERS)) {
        measured.push({ name, ...(await compareTenants(bench, 'listOrders', query, query)) })
      }
      return slowest(measured)
    },
  },
  {
    name: 'list-orders-page-1000',
    title: 'the same, page 1,000 over the first page of 1,000 orders',
    must: 0.6,
    aim: 0.8,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => compareTenants(bench, 'listOrders', `page=${bench.short ? 100 : 1_000}`, ''),
  },
  {
    name: 'list-movements',
    title: 'GET /stock/movements, time with 1,000,000 movements over 1,000: the slowest filter',
    must: 2,
    aim: 1.2,
    higherIsBetter: false,
    unit: 'requests/s',
    measure: async (bench) => {
      const measured = []
      for (const [name, query] of Object.entries(MOVEMENT_FILTERS)) {
        const { seed } = bench.database
        measured.push({ name, ...(await compareTenants(bench, 'listMovements', query(seed, 'large'), query(seed, 'small'))) })
      }
      const worst = slowest(measured)
      return { ...worst, ratio: 1 / worst.ratio }
    },
  },
  {
    name: 'timeline',
    title: 'GET /orders/{id}/timeline, time over that of GET /orders/{id}: 27 entries, with 1,000,000 orders',
    must: 1.5,
    aim: 1.2,
    higherIsBetter: false,
    unit: 'requests/s',
    measure: async (bench) => {
      const measured = await compareTimeline(bench)
      return { ...measured, ratio: 1 / measured.ratio }
    },
  },
  {
    name: 'timeline-alone',
    title: 'the same, one caller alone',
    must: 1.5,
    aim: 1.2,
    higherIsBetter: false,
    unit: 'ms',
    measure: (bench) => compareTimeline(bench, 1, 'latency'),
  },
]

/** Two plans for the same server, which take turns. */
export async function comparePlans(
  bench: Bench,
  ours: [apiKey: string, plan: RequestPlan],
  other: [apiKey: string, plan: RequestPlan],
  connections?: number,
  measure?: Measure,
): Promise<Measurement> {
  const service = await startService(bench.database.url, bench)
  const contender = ([apiKey, plan]: [string, RequestPlan]): Contender => ({ ...service, apiKey, plan })
  try {
    return await compare(bench, contender(ours), contender(other), connections, measure)
  } finally {
    await service.stop()
  }
}

/** The timeline of an order and the order itself. */
function compareTimeline(bench: Bench, connections?: number, measure?: Measure): Promise<Measurement> {
  const { large, orders } = bench.database.seed.service
  return comparePlans(
    bench,
    [large.key, { kind: 'getTimeline', ids: orders }],
    [large.key, { kind: 'getOrder', ids: orders }],
    connections,
    measure,
  )
}

function compareTenants(
  bench: Bench,
  kind: 'listOrders' | 'listMovements',
  largeQuery: string,
  smallQuery: string,
): Promise<Measurement> {
  const { large, small } = bench.database.seed.service
  return comparePlans(bench, [large.key, { kind, query: largeQuery }], [small.key, { kind, query: smallQuery }])
}

function slowest(measured: readonly (Measurement & { name: string })[]): Measurement {
  const { name: _, ...worst } = measured.toSorted((a, b) => a.ratio - b.ratio)[0] as Measurement & { name: string }
  const all = measured.map(({ name, ratio, median }) => `${name}: ${ratio.toFixed(2)} (${Math.round(median)} per second)`)
  return { ...worst, notes: [...all, ...worst.notes] }
}
