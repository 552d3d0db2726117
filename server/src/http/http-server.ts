import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { answerAfterBody } from './answer-after-body.ts'
import { decodableUrl } from './decodable-url.ts'
import { answerClientError, sendFailure } from './failures.ts'
import { requestIdOf } from './request-id.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** A client that takes longer to send a request is cut off. */
const REQUEST_TIMEOUT_MS = 60_000
/** So is one that neither sends nor reads anything for longer. */
const SILENT_TIMEOUT_MS = 120_000

/** Input and output have schemas of Zod; compilers of JSON Schema, which Fastify loads by default, take a tenth of a start. */
const noCompiler = (): never => {
  throw new Error('Fastify checks no schemas here')
}
const NO_SCHEMAS = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } }

/** An HTTP server without routes, all of whose answers have a request id, and failures the API's one shape; it does not listen yet. */
export function buildHttpServer(
  log: FastifyBaseLogger,
  options: Pick<FastifyServerOptions, 'bodyLimit' | 'trustProxy'> = {},
): FastifyInstance {
  const app = Fastify({
    ...options,
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: SILENT_TIMEOUT_MS,
    genReqId: requestIdOf,
    requestIdHeader: false,
    return503OnClosing: false,
    schemaController: NO_SCHEMAS,
    // Longer than any identifier can be, so that the endpoint answers for those that do not exist.
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: ({ url }) => decodableUrl(url ?? '/'),
    // What has no Host header, or expects what it can not have, is answered like everything else.
    http: { requireHostHeader: false },
    clientErrorHandler: answerClientError,
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.setErrorHandler(sendFailure)
  // Hooks of every request call back: a promise for each costs more than what most of them do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    done()
  })
  answerAfterBody(app)
  return app
}
