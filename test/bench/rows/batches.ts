import { median, summary } from '../measure.ts'
import type { Bench, Measurement, Row } from '../row.ts'
import { startService } from '../servers.ts'
import { call } from '../service-client.ts'
import type { Range } from '../seed/seed.ts'
import { barcodeOf } from '../load/requests.ts'

const ORDERS = 50
const LINES = 20
const LIMIT_MS = 50
/** Reads of a round. */
const READS = 20

interface Service {
  server: { port: number }
  key: string
}

/** The way through the warehouse of the largest batch. */
export const batches: Row[] = [
  {
    name: 'batch-stops',
    title: `GET /flow-batches/{id} with ${ORDERS} orders and ${ORDERS * LINES} lines, over ${LIMIT_MS} ms`,
    must: 1,
    aim: 0.6,
    higherIsBetter: false,
    unit: 'ms',
    measure: async (bench) => {
      const { seed, url } = bench.database
      const server = await startService(url, bench)
      try {
        return await measureReads(bench, { server, key: seed.service.written.key }, seed.service.writtenProducts)
      } finally {
        await server.stop()
      }
    },
  },
]

/** Starts a batch of orders of different products, as far as there are enough, and reads it again and again. */
async function measureReads(bench: Bench, service: Service, [first, last]: Range): Promise<Measurement> {
  const orders = Array.from({ length: ORDERS }, (_, order) => ({
    order_tenant_id: `BATCH-${Date.now()}-${order}`,
    assembly_date: '2026-12-01',
    order_detail: Array.from({ length: LINES }, (__, line) => ({
      barcode: barcodeOf(1 + ((order * LINES + line) % (last - first + 1))),
      quantity: 2,
    })),
  }))
  const { orders: created } = await post<{ orders: { id: number }[] }>(service, '/orders', { orders })
  const startedAt = performance.now()
  const batch = await post<{ id: number; stops: object[] }>(service, '/flow-batches', {
    order_ids: created.map(({ id }) => id),
    operator_email: 'ada@example.com',
  })
  const startMs = performance.now() - startedAt
  const times: number[] = []
  for (let round = 0; round < bench.rounds + 1; round++) times.push(await readTime(service, batch.id))
  const endedAt = performance.now()
  await post(service, `/flow-batches/${batch.id}/cancel`)
  const cancelMs = performance.now() - endedAt
  // The first one warms up.
  const ms = times.slice(1)
  const { ratio, spread } = summary(ms.map((time) => time / LIMIT_MS))
  const notes = [
    `${batch.stops.length} stops; longest median of a round ${Math.max(...ms).toFixed(1)} ms; started in ${startMs.toFixed(0)} ms, cancelled in ${cancelMs.toFixed(0)} ms`,
  ]
  return { ratio, median: median(ms), spread, foreignCores: 0, notes }
}

const post = <Data>({ server, key }: Service, path: string, body?: object): Promise<Data> =>
  call<Data>(server, key, 'POST', path, body)

/** The median of some reads, in milliseconds. */
async function readTime({ server, key }: Service, id: number): Promise<number> {
  const times: number[] = []
  for (let read = 0; read < READS; read++) {
    const start = performance.now()
    await call(server, key, 'GET', `/flow-batches/${id}`)
    times.push(performance.now() - start)
  }
  return median(times)
}
