import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import { sendFailure } from './failures.ts'

/** An HTTP server with nothing but the monitoring routes, for a port that only monitoring can reach; it does not listen yet. */
export function buildMonitoringServer(routes: (app: FastifyInstance) => Promise<void>, log: FastifyBaseLogger): FastifyInstance {
  const app = Fastify({ loggerInstance: log, logController: new LogController({ disableRequestLogging: true }) })
  app.setErrorHandler(sendFailure)
  void app.register(routes)
  return app
}
