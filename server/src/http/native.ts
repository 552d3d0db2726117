import { callTRPCProcedure, getTRPCErrorFromUnknown, type AnyTRPCRouter } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CallContext } from '../context.ts'
import { endpointsOf } from '../endpoints.ts'
import { ServiceError } from '../errors.ts'
import { failureOfCall } from '../trpc.ts'
import { readJson } from './json-body.ts'
import type { LargeAnswers } from './large-answers.ts'

const ENVELOPE = { before: '{"result":{"data":', after: '}}' }

/**
 * Answers tRPC's own clients at /trpc, one call a request: a batch would count as one request, however many calls are in it. tRPC's adapter
 * reads a body, and writes an answer, in one go; large ones would hold the event loop.
 */
export async function nativeRoutes(
  app: FastifyInstance,
  router: AnyTRPCRouter,
  contextOf: (request: FastifyRequest) => CallContext,
  largeAnswers: LargeAnswers,
): Promise<void> {
  const types = new Map(endpointsOf(router).map(({ name, type }) => [name, type]))
  app.removeContentTypeParser('application/json')
  // What is wrong with a body is told in the shape that tRPC's clients expect.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)

  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { path } = request.params as { path: string }
    try {
      const type = typeOf(request, types.get(path))
      const input = await inputOf(request)
      const call = {
        router,
        path,
        type,
        ctx: contextOf(request),
        getRawInput: async () => input,
        signal: undefined,
        batchIndex: 0,
      }
      const data: unknown = await callTRPCProcedure(call)
      return (await largeAnswers.answerFor(request, reply, data, ENVELOPE)) ?? { result: { data } }
    } catch (error) {
      return sendNativeFailure(error, path, request, reply)
    }
  }
  app.route({ method: ['GET', 'POST'], url: '/trpc/:path', handler })
}

function typeOf(request: FastifyRequest, type: 'query' | 'mutation' | undefined): 'query' | 'mutation' {
  const { path } = request.params as { path: string }
  if ((request.query as { batch?: unknown }).batch !== undefined)
    throw new ServiceError('validation_error', 'Batching is not supported: make one call a request')
  if (type === undefined) throw new ServiceError('not_found', `No procedure found on path "${path}"`)
  if ((request.method === 'POST') !== (type === 'mutation'))
    throw new ServiceError('method_not_allowed', `The procedure ${path} is a ${type}, which is not called with ${request.method}`)
  return type
}

async function inputOf(request: FastifyRequest): Promise<unknown> {
  if (request.method === 'POST') return request.body === undefined ? undefined : await readJson(request, request.body as Buffer)
  const { input } = request.query as { input?: unknown }
  return typeof input === 'string' && input !== '' ? await readJson(request, Buffer.from(input)) : undefined
}

function sendNativeFailure(cause: unknown, path: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = getTRPCErrorFromUnknown(cause)
  const failure = failureOfCall(error, request.id)
  if (failure.errorCode === 'internal_error') request.log.error({ err: error.cause ?? error }, failure.message)
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds))
  const { message, code, status: httpStatus, errorCode: error_code, details } = failure
  const data = { code, httpStatus, path, error_code, details }
  return reply.code(httpStatus).send({ error: { message, code: TRPC_ERROR_CODES_BY_KEY[code], data } })
}
