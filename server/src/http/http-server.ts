import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { respondAfterBody } from './body/respond-after-body.ts'
import { decodableUrl } from './decodable-url.ts'
import { handleClientError, sendFailure } from './failures.ts'
import { ServiceError } from '../errors/service-error.ts'
import { requestIdOf } from './request-id.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** A connection is closed if a request takes longer to arrive. */
const REQUEST_TIMEOUT_MS = 60_000
/** A connection is closed if the client neither sends nor reads for this long. */
const SILENT_TIMEOUT_MS = 120_000

/** Input and output are checked by Zod. Fastify would load JSON Schema compilers by default, which takes a tenth of the start time. */
const noCompiler = (): never => {
  throw new Error('Fastify checks no schemas here')
}
const NO_SCHEMAS = { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } }

/** An HTTP server without routes that does not listen yet. All responses have a request id, and all errors the API's envelope. */
export function buildHttpServer(
  log: FastifyBaseLogger,
  options: Pick<FastifyServerOptions, 'bodyLimit' | 'trustProxy' | 'rewriteUrl'> = {},
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
    // Longer than any valid identifier, so that the endpoint responds to ids that are too long.
    routerOptions: { maxParamLength: 16_384 },
    rewriteUrl: options.rewriteUrl ?? (({ url }) => decodableUrl(url ?? '/')),
    // Requests without a Host header, or with an unknown Expect, get the API's response instead of Node's.
    http: { requireHostHeader: false },
    clientErrorHandler: handleClientError,
  })
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.setErrorHandler(sendFailure)
  // Hooks that run on every request use callbacks: a promise would cost more than most hooks do.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(SECURITY_HEADERS).header('x-request-id', request.id)
    done(refusalOfLost(request))
  })
  respondAfterBody(app)
  return app
}

/**
 * A request can be read after its client has reset the connection, and then nobody can tell its address, which the audit log needs. Node keeps an
 * address that was asked for once, so later parts of the request have it whatever happens to the connection.
 */
function refusalOfLost({ socket }: FastifyRequest): ServiceError | undefined {
  return socket.remoteAddress === undefined ? new ServiceError('validation_error', 'The connection was closed') : undefined
}
