import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statements/statement.ts'
import { ServiceError } from '../procedures/errors.ts'
import type { Metrics } from '../runtime/monitoring/metrics.ts'

/** Results are cached for this long, because the routes have no rate limit. */
const CACHED_MS = 1_000

/** A server that is connected to a standby, such as during a failover, is not ready, because it cannot write. */
const selectReadOnly = statement<[], { is_read_only: boolean }>({
  name: 'is_database_read_only',
  lane: 'read',
  sql: 'select pg_is_in_recovery() as is_read_only',
})

/** Routes for orchestrators and Prometheus: liveness, readiness and metrics. They need no key. */
export function monitoringRoutes(db: Database, metrics: Metrics, isStopping: () => boolean) {
  const isReadOnly = cachedFor(CACHED_MS, () => db.run(selectReadOnly, []))
  const render = cachedFor(CACHED_MS, () => metrics.render())
  const quietly = { logLevel: 'warn', config: { isUntraced: true } } as const

  return async (app: FastifyInstance): Promise<void> => {
    app.get('/healthz', quietly, async () => ({ success: true, data: { status: 'alive' } }))

    app.get('/readyz', quietly, async () => {
      if (isStopping()) throw new ServiceError('service_unavailable', 'The server is shutting down', { retryAfterSeconds: 1 })
      const [database] = await isReadOnly().catch((cause: unknown) => {
        throw new ServiceError('service_unavailable', 'The database cannot be reached', { retryAfterSeconds: 1, cause })
      })
      if (database?.is_read_only !== false)
        throw new ServiceError('service_unavailable', 'The database is a standby and takes no writes', { retryAfterSeconds: 1 })
      return { success: true, data: { status: 'ready' } }
    })

    app.get('/metrics', quietly, async (_request, reply) => {
      const { contentType, text } = await render()
      return reply.type(contentType).send(text)
    })
  }
}

/** Caches the result of `work` for `ms`. */
function cachedFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let kept: { result: Promise<T>; until: number } | undefined
  return () => {
    if (kept === undefined || kept.until < performance.now()) kept = { result: work(), until: performance.now() + ms }
    return kept.result
  }
}
