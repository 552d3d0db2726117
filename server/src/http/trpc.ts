import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import { mayWait } from '../procedures/endpoint-facts.ts'
import type { Endpoint } from '../procedures/endpoint.ts'
import { failureOf } from '../procedures/failure.ts'
import type { Procedures } from '../procedures/procedures.ts'
import { trpcCodeOf } from '../procedures/trpc.ts'
import type { Admit } from './admit.ts'
import { readJson, startWithBody } from './body/json-body.ts'
import type { LargeResponses } from './body/large-responses.ts'
import type { RequestScheduler } from './limits/request-scheduler.ts'

const ENVELOPE = { before: '{"result":{"data":', after: '}}' }

/**
 * Serves tRPC clients at /trpc, with one call per request: a batch would count as one request for the rate limit. tRPC's adapter is not
 * used, because it parses bodies and serialises responses in one turn, so large ones would block the event loop.
 */
export async function trpcRoutes(
  app: FastifyInstance,
  { endpoints, callProcedure }: Procedures,
  admit: Admit,
  largeResponses: LargeResponses,
  scheduler: RequestScheduler,
): Promise<void> {
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  app.removeContentTypeParser('application/json')
  // Errors of the body are returned in the shape that tRPC clients expect.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    await startWithBody(request, scheduler, body)
    return body
  })

  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { path } = request.params as { path: string }
    try {
      const endpoint = endpointOf(request, byName.get(path))
      const input = await inputOf(request)
      if (mayWait(endpoint)) request.leaveScheduler?.()
      const { data } = await callProcedure(admit(request, endpoint), input)
      return (await largeResponses.responseFor(request, reply, data, ENVELOPE)) ?? { result: { data } }
    } catch (error) {
      return sendTrpcFailure(error, path, request, reply)
    }
  }
  const operationOf = ({ params }: FastifyRequest) => byName.get((params as { path: string }).path)?.name
  app.route({ method: ['GET', 'POST'], url: '/trpc/:path', config: { operationOf }, handler })
}

function endpointOf(request: FastifyRequest, endpoint: Endpoint | undefined): Endpoint {
  const { path } = request.params as { path: string }
  if ((request.query as { batch?: unknown }).batch !== undefined)
    throw new ServiceError('validation_error', 'Batching is not supported; send one call per request')
  if (endpoint === undefined) throw new ServiceError('not_found', `No procedure found on path "${path}"`)
  const { type } = endpoint
  // Ignored, a repeated call would change things twice.
  if (type === 'mutation' && request.headers['idempotency-key'] !== undefined)
    throw new ServiceError('validation_error', 'Idempotency-Key is not supported by /trpc; use /api/v1')
  if ((request.method === 'POST') !== (type === 'mutation'))
    throw new ServiceError(
      'method_not_allowed',
      `The procedure ${path} is a ${type}, which cannot be called with ${request.method}`,
    )
  return endpoint
}

async function inputOf(request: FastifyRequest): Promise<unknown> {
  if (request.method === 'POST') return request.body === undefined ? undefined : await readJson(request, request.body as Buffer)
  const { input } = request.query as { input?: unknown }
  return typeof input === 'string' && input !== '' ? await readJson(request, Buffer.from(input)) : undefined
}

function sendTrpcFailure(error: unknown, path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = failureOf(error, { requestId: request.id })
  if (failure.errorCode === 'internal_error') request.log.error({ err: failure.cause ?? failure }, failure.message)
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds))
  const { message, status: httpStatus, errorCode: error_code, details } = failure
  const code = trpcCodeOf(httpStatus)
  const data = { code, httpStatus, path, error_code, details }
  return reply.code(httpStatus).send({ error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data } })
}
