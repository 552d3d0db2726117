import { setTimeout as delay } from 'node:timers/promises'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { openDatabase } from '@fulfillment/server/database/database.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { barcodeOf } from '../load/requests.ts'
import { median, quantile, summary } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { call } from '../service-client.ts'
import { startService, type ServerProcess } from '../servers.ts'
import { rawRate, startReceiver, type Receiver } from '../webhooks/processes.ts'

const BATCH = 500
const EVENTS_PER_SECOND = 100
/** In production mode, receivers with plain http are refused. */
const ENVIRONMENT = { NODE_ENV: 'development' }

/** Rows about the time from an event to its receiver. */
export const webhooks: Row[] = [
  {
    name: 'webhook-throughput',
    title: 'webhooks to one receiver, over signed Pool.request alone',
    must: 0.45,
    aim: 0.6,
    higherIsBetter: true,
    unit: 'events/s',
    measure: measureThroughput,
  },
  {
    name: 'webhook-delay-median',
    title: 'webhooks at 100 events a second: median delay in ms',
    must: 50,
    aim: 15,
    higherIsBetter: false,
    unit: 'ms',
    measure: (bench) => measureDelay(bench, 0.5),
  },
  {
    name: 'webhook-delay-p99',
    title: 'the same: 99th percentile in ms',
    must: 250,
    aim: 60,
    higherIsBetter: false,
    unit: 'ms',
    measure: (bench) => measureDelay(bench, 0.99),
  },
]

/** Records events without a worker, then measures how fast a worker sends them. */
async function measureThroughput(bench: Bench): Promise<Measurement> {
  const receiver = await startReceiver()
  const { url } = bench.database
  const batches = bench.short ? 1 : 80
  const turns: { ours: number; raw: number }[] = []
  try {
    for (let round = 0; round < Math.min(bench.rounds, 5); round++) {
      const api = await startService(url, { env: { ...ENVIRONMENT, ROLE: 'api' } })
      await recordProducts(api, await subscribe(bench, api, receiver, 'product/created'), batches)
      await api.stop()
      const worker = await startService(url, { env: { ...ENVIRONMENT, ROLE: 'worker' }, profile: bench.profile })
      const arrived = await arrivals(receiver, batches * BATCH)
      await worker.stop()
      turns.push({ ours: steadyRate(arrived.at), raw: await rawRate({ port: receiver.port, seconds: bench.seconds }) })
      await receiver.take()
    }
  } finally {
    receiver.stop()
  }
  const notes = [`raw: ${Math.round(median(turns.map((turn) => turn.raw)))} a second`]
  return {
    ...summary(turns.map(({ ours, raw }) => ours / raw)),
    median: median(turns.map((turn) => turn.ours)),
    foreignCores: NaN,
    notes,
  }
}

/** Records events at a constant rate, and measures when they arrive. */
async function measureDelay(bench: Bench, part: number): Promise<Measurement> {
  const receiver = await startReceiver()
  const server = await startService(bench.database.url, { env: ENVIRONMENT, profile: bench.profile })
  try {
    const tenant = await subscribe(bench, server, receiver, 'stock/movement_created')
    await recordProducts(server, tenant, 1)
    const { products } = await call<{ products: { id: number }[] }>(server, tenant.key, 'GET', '/products?limit=100')
    const ids = products.map(({ id }) => id)
    await adjustAtPace(server, tenant.key, ids, bench.short ? 20 : 500)
    await receiver.take()
    const events = bench.short ? 50 : 1_500
    await adjustAtPace(server, tenant.key, ids, events)
    const { delayMs } = await arrivals(receiver, events)
    const value = quantile(delayMs, part)
    const notes = [
      `p50 ${median(delayMs).toFixed(1)} ms, p90 ${quantile(delayMs, 0.9).toFixed(1)} ms, p99 ${quantile(delayMs, 0.99).toFixed(1)} ms, of ${events} events`,
    ]
    return { ratio: value, median: value, spread: 0, foreignCores: NaN, notes }
  } finally {
    await server.stop()
    receiver.stop()
  }
}

interface Tenant {
  id: number
  key: string
}

/** Creates a tenant whose receiver gets the events of one topic. */
async function subscribe({ database }: Bench, server: ServerProcess, receiver: Receiver, topic: string): Promise<Tenant> {
  const db = openDatabase(database.url)
  const { id } = await createTenant(db, 'benchmark of webhooks')
  const { key } = await insertApiKey(db, id, 'live', { name: 'benchmark', scopes: ['admin'] })
  await db.close()
  await call(server, key, 'POST', '/webhooks', {
    name: 'receiver',
    url: `http://127.0.0.1:${receiver.port}/hook`,
    events: [topic],
  })
  return { id, key }
}

/** One `product/created` for each product. */
async function recordProducts(server: ServerProcess, { key }: Tenant, batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch++) {
    const products = Array.from({ length: BATCH }, (_, index) => ({ barcode: barcodeOf(batch * BATCH + index), name: 'Product' }))
    await call(server, key, 'POST', '/products/bulk', { products })
  }
}

async function adjustAtPace(server: ServerProcess, key: string, ids: readonly number[], count: number): Promise<void> {
  const started = performance.now()
  const calls: Promise<unknown>[] = []
  for (let sent = 0; sent < count; sent++) {
    const due = started + (sent * 1_000) / EVENTS_PER_SECOND
    if (due > performance.now()) await delay(due - performance.now())
    calls.push(
      call(server, key, 'POST', '/stock/adjustment', {
        product_id: ids[sent % ids.length],
        location_id: 'A-1',
        adjustment_quantity: 1,
      }),
    )
  }
  await Promise.all(calls)
}

async function arrivals(receiver: Receiver, count: number): Promise<{ at: number[]; delayMs: number[] }> {
  const all = { at: [] as number[], delayMs: [] as number[] }
  const deadline = performance.now() + 120_000
  while (all.at.length < count) {
    if (performance.now() > deadline) throw new Error(`only ${all.at.length} of ${count} events arrived`)
    await delay(100)
    const { at, delayMs } = await receiver.take()
    all.at.push(...at)
    all.delayMs.push(...delayMs)
  }
  return all
}

/** Leaves out the first and the last tenth, in which the worker starts and runs out of work. */
function steadyRate(at: readonly number[]): number {
  const first = quantile(at, 0.1)
  const last = quantile(at, 0.9)
  return (at.length * 0.8 * 1_000) / (last - first)
}
