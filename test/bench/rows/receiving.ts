import type { RequestPlan } from '../load/requests.ts'
import { compare, type Contender, median, summary } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import type { Range } from '../seed/seed.ts'
import { type ServerProcess, startService } from '../servers.ts'
import { call } from '../service-client.ts'

/** Records that the load is spread over, and lines of each. Line l of record r has product r * lines + l, counted from 0. */
const RECORDS = 512
const LINES = 3
/** Never used up. */
const PLENTY = 900_000_000_000

const COUNTED_LINES = 1_000

/** A server, and the tenant that is written to. */
interface Service {
  server: ServerProcess
  key: string
  products: Range
}

/** Creates the record with this number and returns its id. */
type Create = (service: Service, productIds: number[]) => Promise<{ id: number }>

const OVER_ADJUSTMENT: { name: string; title: string; kind: RequestPlan['kind']; create: Create }[] = [
  {
    name: 'receipt',
    title: 'POST /inbound/{id}/receipts, deliveries of 3 lines, over POST /stock/adjustment',
    kind: 'receive',
    create: ({ server, key }, productIds) =>
      call(server, key, 'POST', '/inbound', { lines: productIds.map((id) => ({ product_id: id, quantity: PLENTY })) }),
  },
  {
    name: 'count-entry',
    title: 'POST /counts/{id}/entries over POST /stock/adjustment',
    kind: 'enterCount',
    create: ({ server, key }, productIds) =>
      call(server, key, 'POST', '/counts', { location_ids: ['A-1'], product_ids: productIds }),
  },
]

/** Rows about goods that come in and are counted. They compare the service with itself. */
export const receiving: Row[] = [
  ...OVER_ADJUSTMENT.map(({ name, title, kind, create }): Row => ({
    name,
    title,
    // An adjustment's cost times 1.3.
    must: 0.77,
    aim: 0.9,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) =>
      withService(bench, async (service) => {
        const ids = await createRecords(service, create)
        const { server, key, products } = service
        const one = (plan: RequestPlan): Contender => ({ ...server, apiKey: key, plan })
        const records = one({ kind, ids, lines: LINES, products: products[1] - products[0] + 1, firstProduct: products[0] })
        return await compare(bench, records, one({ kind: 'adjustStock', ids: products }))
      }),
  })),
  {
    name: 'approve-count',
    title: 'POST /counts/{id}/approve of 1,000 counted lines, over 1 s',
    must: 1,
    aim: 0.5,
    higherIsBetter: false,
    unit: 's',
    measure: (bench) => withService(bench, (service) => measureApprovals(bench, service)),
  },
]

async function withService(bench: Bench, work: (service: Service) => Promise<Measurement>): Promise<Measurement> {
  const { seed, url } = bench.database
  const server = await startService(url, bench)
  try {
    return await work({ server, key: seed.service.written.key, products: seed.service.writtenProducts })
  } finally {
    await server.stop()
  }
}

/** Creates records one after the other, so that their ids are consecutive. */
async function createRecords(service: Service, create: Create): Promise<Range> {
  const [first, last] = service.products
  const ids: number[] = []
  for (let number = 0; number < RECORDS; number++) {
    const lines = Array.from({ length: LINES }, (_, line) => first + ((number * LINES + line) % (last - first + 1)))
    ids.push((await create(service, lines)).id)
  }
  return [ids[0] as number, ids.at(-1) as number]
}

/** Each count has lines of its own level; every second one has a variance. */
async function measureApprovals(bench: Bench, service: Service): Promise<Measurement> {
  const times: number[] = []
  for (let round = 0; round < bench.rounds + 1; round++) times.push(await approvalTime(service))
  // The first one warms up.
  const seconds = times.slice(1)
  const { ratio, spread } = summary(seconds)
  return { ratio, median: median(seconds), spread, foreignCores: 0, notes: [`longest ${Math.max(...seconds).toFixed(2)} s`] }
}

async function approvalTime({ server, key, products: [first, last] }: Service): Promise<number> {
  const ids = Array.from({ length: Math.min(COUNTED_LINES, last - first + 1) }, (_, index) => first + index)
  const count = await call<{ id: number; lines: { product_id: number; location_id: string; expected_quantity: number }[] }>(
    server,
    key,
    'POST',
    '/counts',
    {
      location_ids: ['A-2', 'A-1'],
      product_ids: ids.slice(0, COUNTED_LINES / 2),
    },
  )
  for (const [index, { product_id, location_id, expected_quantity: expected }] of count.lines.entries()) {
    await call(server, key, 'POST', `/counts/${count.id}/entries`, { product_id, location_id, quantity: expected + (index % 2) })
  }
  await call(server, key, 'POST', `/counts/${count.id}/submit`)
  const start = performance.now()
  await call(server, key, 'POST', `/counts/${count.id}/approve`)
  return (performance.now() - start) / 1_000
}
