import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { RequestPlan } from '../load/requests.ts'
import { compare, type Contender, median, summary } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { call } from '../service-client.ts'
import { type ServerProcess, startService } from '../servers.ts'
import { type FilledTenant, type Filling, filledTenant } from './reserving-tenants.ts'

/** Never used up. */
const STOCK = 1_000_000_000
/** Other tenants make calls meanwhile, one after the other on each of these connections. */
const OTHERS = 4
const TURN_SECONDS = 2
const LONGEST_SWITCH_MS = 900_000

/** Rows about tenants that reserve. */
export const reserving: Row[] = [
  {
    name: 'track-create-order',
    title: 'POST /orders, 3 lines, under the policy `track` over `off`',
    must: 0.6,
    aim: 0.8,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => trackOverOff(bench, ({ sizes }) => ({ kind: 'createOrder', products: sizes.products })),
  },
  {
    name: 'track-adjust-stock',
    title: 'POST /stock/adjustment, under `track` over `off`',
    must: 0.7,
    aim: 0.9,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => trackOverOff(bench, (_sizes, { products }) => ({ kind: 'adjustStock', ids: products })),
  },
  {
    name: 'track-hot-product',
    title: 'POST /orders of one unit of the same product by 64 callers, under `track` over `off`',
    must: 0.4,
    aim: 0.7,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: hotProduct,
  },
  {
    name: 'availability',
    title: 'GET /stock/availability over GET /products, 100,000 products under `track`',
    must: 0.8,
    aim: 0.9,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: availability,
  },
  {
    name: 'switch-reserving',
    title: 'p99 of another tenant while one with 100,000 open orders is switched to `track`, over p99 before',
    must: 2,
    aim: 1.3,
    higherIsBetter: false,
    unit: 's until ready',
    measure: switchReserving,
  },
]

type PlanOf = (seed: Bench['database']['seed'], tenant: FilledTenant) => RequestPlan

/** Two tenants of one server take turns, which have the same but for the policy. */
async function trackOverOff(bench: Bench, planOf: PlanOf): Promise<Measurement> {
  const { database } = bench
  const filling: Filling = { products: database.seed.sizes.products, stock: STOCK }
  const [track, off] = [await filledTenant(database, 'track', filling), await filledTenant(database, 'off', filling)]
  const server = await startService(database.url, bench)
  try {
    await setPolicy(server, track.key, 'track')
    const contender = (tenant: FilledTenant): Contender => ({
      ...server,
      apiKey: tenant.key,
      plan: planOf(database.seed, tenant),
    })
    return await compare(bench, contender(track), contender(off))
  } finally {
    await server.stop()
  }
}

/** `compare` fails when a call does, so also when one waits too long. */
async function hotProduct(bench: Bench): Promise<Measurement> {
  const client = new pg.Client({ connectionString: bench.database.url })
  await client.connect()
  const deadlocks = async (): Promise<number> => {
    const { rows } = await client.query('select deadlocks::int from pg_stat_database where datname = current_database()')
    return (rows as [{ deadlocks: number }])[0].deadlocks
  }
  try {
    const before = await deadlocks()
    const measured = await trackOverOff(bench, () => ({ kind: 'orderHotProduct' }))
    // Connections report them a second later.
    await delay(1_500)
    return { ...measured, notes: [...measured.notes, `deadlocks: ${(await deadlocks()) - before}`] }
  } finally {
    await client.end()
  }
}

async function availability(bench: Bench): Promise<Measurement> {
  const { database, short } = bench
  const tenant = await filledTenant(database, 'many products', { products: short ? 1_000 : 100_000, stock: STOCK })
  const server = await startService(database.url, bench)
  try {
    await setPolicy(server, tenant.key, 'track')
    const contender = (kind: RequestPlan['kind']): Contender => ({ ...server, apiKey: tenant.key, plan: { kind } })
    return await compare(bench, contender('listAvailability'), contender('listProducts'))
  } finally {
    await server.stop()
  }
}

async function switchReserving(bench: Bench): Promise<Measurement> {
  const { database, short, rounds } = bench
  const { sizes } = database.seed
  const tenant = await filledTenant(database, 'open orders', {
    products: sizes.products,
    stock: STOCK,
    openOrders: short ? 500 : 100_000,
  })
  const server = await startService(database.url, bench)
  const measured: { ratio: number; seconds: number; p99: number }[] = []
  try {
    await setPolicy(server, tenant.key, 'off')
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      const [alone] = await p99sUntil(bench, server, Promise.resolve())
      const begunAt = performance.now()
      const ready = setPolicy(server, tenant.key, 'track').then(() => (performance.now() - begunAt) / 1_000)
      const during = median(await p99sUntil(bench, server, ready))
      measured.push({ ratio: during / (alone as number), seconds: await ready, p99: during })
      await setPolicy(server, tenant.key, 'off')
    }
  } finally {
    await server.stop()
  }
  const notes = measured.map(
    ({ seconds, p99 }) => `ready after ${seconds.toFixed(1)} s, p99 of the other tenant meanwhile ${p99.toFixed(1)} ms`,
  )
  return {
    ...summary(measured.map(({ ratio }) => ratio)),
    median: median(measured.map(({ seconds }) => seconds)),
    foreignCores: NaN,
    notes,
  }
}

/** The p99 of turns of load by another tenant: at least one, and until `end`. */
async function p99sUntil({ database, generator, short }: Bench, server: ServerProcess, end: Promise<unknown>): Promise<number[]> {
  const over = new AbortController()
  void Promise.allSettled([end]).then(() => over.abort())
  const { service, sizes } = database.seed
  const plan: RequestPlan = { kind: 'mixed', ids: service.writtenProducts, products: sizes.products, items: 20 }
  const turns: number[] = []
  do {
    const load = {
      port: server.port,
      apiKey: service.written.key,
      connections: OTHERS,
      seconds: short ? 0.3 : TURN_SECONDS,
      plan,
    }
    const { failed, failure, p99Ms } = await generator.run(load)
    if (failed > 0) throw new Error(`${failed} requests failed, the first with ${failure}`)
    turns.push(p99Ms)
  } while (!over.signal.aborted)
  await end
  return turns
}

/** Sets the policy of a tenant and waits until it is in effect for all its orders. */
async function setPolicy(server: ServerProcess, key: string, policy: 'off' | 'track'): Promise<void> {
  await call(server, key, 'PUT', '/settings', { reservation_policy: policy })
  for (const until = performance.now() + LONGEST_SWITCH_MS; ; await delay(50)) {
    const { reservation_state: state } = await call<{ reservation_state: string }>(server, key, 'GET', '/settings')
    if (state === 'ready') return
    if (performance.now() > until) throw new Error('reserving is not ready')
  }
}
