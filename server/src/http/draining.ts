import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'

const RETRY_AFTER_SECONDS = 1
/** Longer than any statement may run. Connections still open then belong to clients that do not read the response or finish the request. */
const LONGEST_DRAIN_MS = 20_000

/** Closes the server. Connections that are still open after this time are cut off. */
export async function closeWithin(app: FastifyInstance, ms: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), ms)
  await app.close().finally(() => clearTimeout(timer))
}

/** While the server shuts down, new requests on open connections are rejected, and requests in progress are completed. */
export function refuseWhileDraining(app: FastifyInstance): void {
  let draining = false
  app.addHook('preClose', async () => {
    draining = true
    setTimeout(() => app.server.closeAllConnections(), LONGEST_DRAIN_MS).unref()
  })
  // Also for requests in progress: an idle keep-alive connection would delay the shutdown.
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (draining) reply.header('connection', 'close')
    done(null, payload)
  })
  app.addHook('onRequest', (_request, _reply, done) => {
    if (!draining) return done()
    done(
      new ServiceError('service_unavailable', 'The server is shutting down; try again', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
    )
  })
}
