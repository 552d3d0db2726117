import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorDetail, ServiceError } from '../errors/service-error.ts'
import { failureOf } from '../procedures/failure.ts'
import { requestIdOf } from './request-id.ts'

interface FailureBody {
  success: false
  error: { code: string; message: string; details?: ErrorDetail[] }
}

/** An error as callers see it. */
export function shownFailure({ errorCode: code, message, details }: ServiceError): FailureBody['error'] {
  return details === undefined ? { code, message } : { code, message, details }
}

/** Responds to an error of any layer with the API's error envelope. */
export function sendFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const failure = frameworkError(error as FastifyError, request) ?? failureOf(error, { requestId: request.id })
  // A server that is stopping rejects requests. Such an error has no cause and is not logged.
  const isRefusal = failure.errorCode === 'service_unavailable' && failure.cause === undefined
  if (failure.status >= 500 && !isRefusal) request.log.error({ err: failure.cause ?? failure }, failure.message)
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds))
  reply
    .code(failure.status)
    .type('application/json; charset=utf-8')
    .send({ success: false, error: shownFailure(failure) } satisfies FailureBody)
}

/** The API error for an error that the framework raises before the handler runs. */
function frameworkError(error: Partial<FastifyError>, request: FastifyRequest): ServiceError | undefined {
  if (error instanceof ServiceError) return undefined
  if (error.statusCode === 413) {
    return new ServiceError('payload_too_large', `The body is larger than ${request.routeOptions.bodyLimit} bytes`, {
      cause: error,
    })
  }
  if (error.statusCode === 415) return unsupportedMediaType(request)
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new ServiceError('validation_error', error.message ?? 'The request is malformed', { cause: error })
  }
  return undefined
}

/** The error for a body that is not JSON. */
export function unsupportedMediaType(request: FastifyRequest): ServiceError {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined)
    return new ServiceError('unsupported_media_type', `Content-Encoding ${encoding} is not supported; send the body without it`)
  const type = request.raw.headers['content-type'] ?? ''
  return new ServiceError(
    'unsupported_media_type',
    type === '' ? 'Content-Type is missing; send application/json' : `Content-Type must be application/json, not ${type}`,
  )
}

const BAD_REQUEST = '400 Bad Request'
/** Not imported: a module that imports `node:http` reads all that it exports, and so loads Node's `WebSocket`, a tenth of a start. */
const { maxHeaderSize } = process.getBuiltinModule('node:http')

const CLIENT_ERRORS: Record<string, { status: string; message: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: BAD_REQUEST,
    message: `The URL and the headers of a request must not have more than ${maxHeaderSize} bytes together`,
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'The request took too long to arrive' },
}
const MALFORMED = { status: BAD_REQUEST, message: 'The request is not valid HTTP' }

/** Time for the client to read the response before the connection is closed. */
const READING_TIME_MS = 2_000

/** Connections with such data. Node reports it again with everything that arrives behind it. */
const malformed = new WeakSet<Socket>()

/** Responds to data that cannot be parsed as an HTTP request, behind the responses to the requests before it. */
export function handleClientError(this: { log: FastifyBaseLogger }, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy()
  if (malformed.has(socket)) return
  malformed.add(socket)
  const { status, message } = CLIENT_ERRORS[error.code ?? ''] ?? MALFORMED
  const requestId = requestIdOf({ headers: {} })
  this.log.info({ reqId: requestId, err: error }, 'malformed request')
  const body = JSON.stringify({ success: false, error: { code: 'validation_error', message } } satisfies FailureBody)
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  afterResponses(socket, () => {
    // The last response may have closed the connection.
    if (!socket.writable) return
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
    // The client's half of the connection is still open, and it could continue to send.
    setTimeout(() => socket.destroy(), READING_TIME_MS).unref()
  })
}

/**
 * Calls `respond` when the responses to the complete requests of a connection are sent. An incomplete request is the one that cannot be parsed: it gets
 * no response of its own unless that has begun.
 */
function afterResponses(socket: Socket, respond: () => void): void {
  // Nothing public of Node names the response that a connection sends next.
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: ServerResponse | null }
  if (response == null || !(response.req.complete || response.headersSent)) return respond()
  response.once('close', () => afterResponses(socket, respond))
}
