import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { buildHttpServer } from './http-server.ts'
import { refuseBeforeBody, unknownRoute } from './unknown-route.ts'

/** An HTTP server with only the monitoring routes, for a port that only monitoring can reach. It does not listen yet. */
export function buildMonitoringServer(routes: (app: FastifyInstance) => Promise<void>, log: FastifyBaseLogger): FastifyInstance {
  const app = buildHttpServer(log)
  refuseBeforeBody(app, unknownRoute(app))
  void app.register(routes)
  return app
}
