import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { Metrics } from '../monitoring/metrics.ts'

/** Any caller may ask at any time: those who ask meanwhile get the same answer. */
const KEPT_MS = 1_000

const ask = statement<[], { one: number }>('is_database_there', 'select 1 as one')

/** What orchestrators and Prometheus ask: is the process alive, can it serve, and what does it measure. None needs a key. */
export function monitoringRoutes(db: Database, metrics: Metrics, isStopping: () => boolean) {
  const requireDatabase = keptFor(KEPT_MS, () => db.run(ask, []))
  const render = keptFor(KEPT_MS, () => metrics.render())
  const quietly = { logLevel: 'warn' } as const

  return async (app: FastifyInstance): Promise<void> => {
    app.get('/healthz', quietly, async () => ({ success: true, data: { status: 'alive' } }))

    app.get('/readyz', quietly, async () => {
      if (isStopping()) throw new ServiceError('service_unavailable', 'The server is shutting down', { retryAfterSeconds: 1 })
      await requireDatabase().catch((error: unknown) => {
        throw new ServiceError('service_unavailable', 'The database cannot be reached', { retryAfterSeconds: 1, cause: error })
      })
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
