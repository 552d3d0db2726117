import { setTimeout as delay } from 'node:timers/promises'
import type { RequestPlan } from '../load/requests.ts'
import { compare, type Contender } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import type { Seed } from '../seed/seed.ts'
import { startService, type ServerProcess } from '../servers.ts'

const START_TIMEOUT_MS = 30_000
const POLL_MS = 50

/**
 * Rows that compare two processes behind one port with one process. On two cores, which the load generator and Postgres also use, they show
 * the cost of a second process rather than its benefit.
 */
export const severalProcesses: Row[] = [
  {
    name: 'two-processes-get-order',
    title: 'GET /orders/{id}, PROCESSES=2 over 1',
    must: 1,
    aim: 1.3,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => twoOverOne(bench, 'large', ({ service }) => ({ kind: 'getOrder', ids: service.orders })),
  },
  {
    name: 'two-processes-create-order',
    title: 'POST /orders, 3 lines, PROCESSES=2 over 1',
    must: 0.7,
    aim: 1,
    higherIsBetter: true,
    unit: 'requests/s',
    measure: (bench) => twoOverOne(bench, 'written', ({ sizes }) => ({ kind: 'createOrder', products: sizes.products })),
  },
]

async function twoOverOne(bench: Bench, tenant: 'large' | 'written', planOf: (seed: Seed) => RequestPlan): Promise<Measurement> {
  const { seed, url } = bench.database
  const two = await startService(url, { env: { PROCESSES: '2' } })
  const one = await startService(url, bench)
  const contender = (server: ServerProcess): Contender => ({ ...server, apiKey: seed.service[tenant].key, plan: planOf(seed) })
  try {
    await untilBothServe(two)
    return await compare(bench, contender(two), contender(one))
  } finally {
    await Promise.all([two.stop(), one.stop()])
  }
}

/** The port is open as soon as the first process serves requests. */
async function untilBothServe({ port }: ServerProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!/^fulfillment_processes 2$/m.test(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())) {
    if (performance.now() > deadline) throw new Error('the second process does not serve')
    await delay(POLL_MS)
  }
}
