import { median, quantile, summary } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { startService } from '../servers.ts'
import { call } from '../service-client.ts'

const LIMIT_MS = 50
/** Reads of a report in a round. */
const READS = 20

/** Every report over the longest period that it takes. */
const REPORTS = [
  { name: 'stock by day', path: '/reports/stock?step=day', days: 365, isOfProduct: true },
  { name: 'stock at a location by day', path: '/reports/stock?step=day&location_id=A-1', days: 365, isOfProduct: true },
  { name: 'stock by hour', path: '/reports/stock?step=hour', days: 30, isOfProduct: true },
  { name: 'orders by day of creation', path: '/reports/orders?by=created', days: 365 },
  { name: 'orders by assembly date', path: '/reports/orders?by=assembly', days: 365 },
  { name: 'picking by hour', path: '/reports/picking?by=hour', days: 30 },
  { name: 'picking by day', path: '/reports/picking?by=day', days: 365 },
  { name: 'picking by operator', path: '/reports/picking?by=operator', days: 365 },
  { name: 'deliveries', path: '/reports/deliveries?', days: 30 },
  { name: 'usage', path: '/reports/usage?', days: 30 },
]

/** What the pictures of the dashboard are drawn from. */
export const reports: Row[] = [
  {
    name: 'reports',
    title: `The slowest report at 1,000,000 orders, p95 of one caller, over ${LIMIT_MS} ms`,
    must: 1,
    aim: 0.6,
    higherIsBetter: false,
    unit: 'ms',
    measure: async (bench) => {
      const { large, products } = bench.database.seed.service
      const server = await startService(bench.database.url, bench)
      try {
        return await measureReports(bench, (path) => call(server, large.key, 'GET', path), products[0])
      } finally {
        await server.stop()
      }
    },
  },
]

async function measureReports(bench: Bench, read: (path: string) => Promise<unknown>, productId: number): Promise<Measurement> {
  const measured: { name: string; p50: number; p95s: number[] }[] = []
  for (const { name, path, days, isOfProduct } of REPORTS) {
    const since = new Date(Date.now() - days * 86_400_000).toISOString()
    const address = `${path}&since=${since}${isOfProduct === true ? `&product_id=${productId}` : ''}`
    const rounds: number[][] = []
    for (let round = 0; round < bench.rounds + 1; round++) rounds.push(await timesOf(() => read(address)))
    // The first one warms up.
    const times = rounds.slice(1)
    measured.push({ name, p50: median(times.flat()), p95s: times.map((round) => quantile(round, 0.95)) })
  }
  const slowest = measured.toSorted((a, b) => median(b.p95s) - median(a.p95s))[0] as (typeof measured)[number]
  const { ratio, spread } = summary(slowest.p95s.map((time) => time / LIMIT_MS))
  const notes = measured.map(({ name, p50, p95s }) => `${name}: p50 ${p50.toFixed(1)} ms, p95 ${median(p95s).toFixed(1)} ms`)
  return { ratio, median: median(slowest.p95s), spread, foreignCores: 0, notes }
}

async function timesOf(read: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let number = 0; number < READS; number++) {
    const start = performance.now()
    await read()
    times.push(performance.now() - start)
  }
  return times
}
