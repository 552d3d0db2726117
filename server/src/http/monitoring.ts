import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { Metrics } from '../monitoring/metrics.ts'

/** Any caller may ask at any time: those who ask meanwhile get the same answer. */
const KEPT_MS = 1_000

/** A standby takes no writes: what is connected to one, such as in the midst of a failover, can not serve. */
const ask = statement<[], { is_read_only: boolean }>('is_database_read_only', 'select pg_is_in_recovery() as is_read_only')

/** What orchestrators and Prometheus ask: is the process alive, can it serve, and what does it measure. None needs a key. */
export function monitoringRoutes(db: Database, metrics: Metrics, isStopping: () => boolean) {
  const isReadOnly = keptFor(KEPT_MS, () => db.run(ask, []))
  const render = keptFor(KEPT_MS, () => metrics.render())
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

/** Runs `work` at most once in `ms`, for everybody who asks for it. */
function keptFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let kept: { result: Promise<T>; until: number } | undefined
  return () => {
    if (kept === undefined || kept.until < performance.now()) kept = { result: work(), until: performance.now() + ms }
    return kept.result
  }
}
