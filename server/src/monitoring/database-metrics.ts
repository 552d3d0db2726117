import { Gauge, type Registry } from 'prom-client'
import { stateOf } from '../database/database-state.ts'
import type { Database } from '../database/database.ts'
import type { SliceMetrics } from '../procedures/slice.ts'
import type { Shards } from '../shards/shards.ts'
import { PREFIX } from './conventions.ts'

/** Adds the metrics of the databases of all shards. */
export function measureDatabases(shards: Shards, registry: Registry): void {
  const gauge = (name: string, help: string, value: (db: Database) => number | Promise<number>): Gauge =>
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames: ['shard'],
      registers: [registry],
      async collect() {
        const measured = shards.all.map(async ({ id, db }) => ({
          id,
          value: db === undefined ? valueOfNone(name) : await value(db),
        }))
        const values = await Promise.all(measured)
        this.reset()
        for (const { id, value: one } of values) this.set(labelsOf(shards, id), one)
      },
    })
  gauge(UP, '0 while the database cannot be reached or does not respond.', async (db) => Number((await stateOf(db)) !== 'lost'))
  gauge('database_waiting_queries', 'Queries waiting for a result.', (db) => db.usage().waitingQueries)
  gauge('database_pool_waiting_requests', 'Requests waiting for a connection.', (db) => db.usage().pool.waitingRequests)
  gauge('database_pool_connections', 'Open connections of the pool.', (db) => db.usage().pool.open)
  gauge('database_pool_idle_connections', 'Unused open connections of the pool.', (db) => db.usage().pool.idle)
}

const UP = 'database_up'

/** Of a shard that was not reached since the start. */
const valueOfNone = (name: string): number => (name === UP ? 0 : Number.NaN)

/** With one database, its series have no label. */
const labelsOf = (shards: Shards, id: number): { shard?: string } => (shards.all.length === 1 ? {} : { shard: String(id) })

/** Adds the gauges of a slice, and returns the function that measures them. Those of a database are absent while it cannot be read. */
export function sliceGauges({ gauges, measure }: SliceMetrics, shards: Shards, registry: Registry): () => Promise<void> {
  const all = Object.entries(gauges).map(
    ([name, help]) => [name, new Gauge({ name: PREFIX + name, help, labelNames: ['shard'], registers: [registry] })] as const,
  )
  return async () => {
    const measured = await Promise.all(
      shards.all.map(async ({ id, db }) => ({ id, values: db && (await measure(db).catch(() => undefined)) })),
    )
    for (const [name, gauge] of all) {
      gauge.reset()
      for (const { id, values } of measured) if (values !== undefined) gauge.set(labelsOf(shards, id), values[name] ?? Number.NaN)
    }
  }
}
