import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

const RETRY_AFTER_SECONDS = 1
/** More than a statement may take: what is still open then is a client that does not read or does not end. */
const LONGEST_DRAIN_MS = 20_000

/** While the server shuts down, requests that still arrive on open connections are refused; those under way are finished. */
export function refuseWhileDraining(app: FastifyInstance): void {
  let draining = false
  app.addHook('preClose', async () => {
    draining = true
    setTimeout(() => app.server.closeAllConnections(), LONGEST_DRAIN_MS).unref()
  })
  // Also of what was under way before: a connection that is kept open would hold up the end.
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
