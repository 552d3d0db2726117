import type { FastifyInstance } from 'fastify'
import { isStandby, stateOf } from '../database/database-state.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import { DIRECTORY, type Shards } from '../shards/shards.ts'

/** Results are cached for this long, because the routes have no rate limit. */
const CACHED_MS = 1_000

/**
 * Routes for orchestrators and Prometheus: liveness, readiness and metrics. They need no key. `whyNotReady` has the reason of a process that is not
 * ready although its database is.
 */
export function monitoringRoutes(shards: Shards, metrics: Metrics, whyNotReady: () => string | undefined) {
  const isDirectoryStandby = cachedFor(CACHED_MS, () => isStandby(shards.directory))
  const unreachable = cachedFor(CACHED_MS, () => unreachableShards(shards))
  const render = cachedFor(CACHED_MS, () => metrics.render())
  const quietly = { logLevel: 'warn', config: { isUntraced: true } } as const

  return async (app: FastifyInstance): Promise<void> => {
    app.get('/healthz', quietly, async () => ({ success: true, data: { status: 'alive' } }))

    app.get('/readyz', quietly, async () => {
      const reason = whyNotReady()
      if (reason !== undefined) throw new ServiceError('service_unavailable', reason, { retryAfterSeconds: 1 })
      const standby = await isDirectoryStandby().catch((cause: unknown) => {
        throw new ServiceError('service_unavailable', 'The database cannot be reached', { retryAfterSeconds: 1, cause })
      })
      if (standby)
        throw new ServiceError('service_unavailable', 'The database is a standby and takes no writes', { retryAfterSeconds: 1 })
      // Tenants of the other shards are served, so the process is ready without these.
      const data = shards.all.length === 1 ? {} : { unreachable_shards: await unreachable() }
      return { success: true, data: { status: 'ready', ...data } }
    })

    app.get('/metrics', quietly, async (_request, reply) => {
      const { contentType, text } = await render()
      return reply.type(contentType).send(text)
    })
  }
}

/** The ids of the shards, besides the directory, that do not take writes. */
async function unreachableShards(shards: Shards): Promise<number[]> {
  const others = shards.all.filter(({ id }) => id !== DIRECTORY)
  const lost = await Promise.all(
    others.map(async ({ id, db }) => (db !== undefined && (await stateOf(db)) === 'primary' ? [] : [id])),
  )
  return lost.flat()
}

/** Caches the result of `work` for `ms`. */
function cachedFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let kept: { result: Promise<T>; until: number } | undefined
  return () => {
    if (kept === undefined || kept.until < performance.now()) kept = { result: work(), until: performance.now() + ms }
    return kept.result
  }
}
