import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors/service-error.ts'
import type { CallContext } from '../procedures/call-context.ts'
import { mayWait } from '../procedures/endpoint-facts.ts'
import type { Endpoint } from '../procedures/endpoint.ts'
import type { KeyedRequest } from '../procedures/idempotency/run-once.ts'
import { JsonText } from '../procedures/json-text.ts'
import type { Procedures } from '../procedures/procedures.ts'
import type { Admit } from './admit.ts'
import type { LargeResponses } from './body/large-responses.ts'
import { announceDeprecation } from './deprecation.ts'
import { type Guard, guardedBy } from './guards.ts'
import { idempotencyKeyOf } from './idempotency-key.ts'
import { queryCheck, type QueryCheck } from './query-check.ts'

export const API_PREFIX = '/api/v1'
const ENVELOPE = { before: '{"success":true,"data":', after: '}' }

declare module 'fastify' {
  interface FastifyRequest {
    /** The call of the request: set after the scope check, before the body is read, and taken by the handler. */
    call?: CallContext | undefined
  }
}

/** Checks that the device of a request may call an endpoint, and sets its operator. Throws `not_on_device`, `operator_required`, `operator_not_allowed`. */
export type AdmitDevice = (request: FastifyRequest, reply: FastifyReply, endpoint: Endpoint) => Promise<void>

/** Registers a route for every endpoint. `guards` run before the scope check: authentication and rate limit. */
export function registerRestRoutes(
  app: FastifyInstance,
  { endpoints, call }: Procedures,
  admit: Admit,
  guards: readonly Guard[],
  largeResponses: LargeResponses,
  admitDevice: AdmitDevice | undefined,
): void {
  for (const endpoint of endpoints) {
    const { method, path, deprecated } = endpoint
    const checkQuery = queryCheck(endpoint.input, path)
    app.route({
      method,
      url: API_PREFIX + path.replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operationOf: () => endpoint.name },
      onRequest: guardedBy([
        ...guards,
        (request, reply) => (request.raw.page?.app === 'scan' ? admitDevice?.(request, reply, endpoint) : undefined),
        (request) => {
          request.call = admit(request, endpoint)
        },
      ]),
      ...(deprecated === undefined ? {} : { onSend: announceDeprecation(deprecated) }),
      handler: async (request, reply) => {
        const input = inputOf(request, endpoint, checkQuery)
        const keyed = endpoint.type === 'mutation' ? keyedRequestOf(request) : undefined
        // The call waits for another server, not for the processor.
        if (mayWait(endpoint)) request.leaveScheduler?.()
        const { data, isReplayed } = await call(takeCall(request), input, keyed)
        if (isReplayed) reply.header('idempotency-replayed', 'true')
        if (data instanceof JsonText) {
          reply.type('application/json; charset=utf-8')
          return ENVELOPE.before + data.text + ENVELOPE.after
        }
        return (await largeResponses.responseFor(request, reply, data, ENVELOPE)) ?? { success: true, data }
      },
    })
  }
}

/**
 * Takes the call off its request. Left there, it would survive the response: requests that were in progress during one garbage collection kept
 * those of the next one in memory, 0.8 MB each time.
 */
function takeCall(request: FastifyRequest): CallContext {
  const call = request.call as CallContext
  request.call = undefined
  return call
}

function keyedRequestOf(request: FastifyRequest): KeyedRequest | undefined {
  const key = idempotencyKeyOf(request)
  if (key === undefined) return undefined
  return { key, fingerprint: `${request.method} ${request.url} ${request.bodyHash ?? JSON.stringify(request.body)}` }
}

/**
 * One flat object with the fields of the body or query and the path parameters, which override fields of the same name. A DELETE has its
 * fields in the query, and those of a body are read too.
 */
function inputOf(request: FastifyRequest, endpoint: Endpoint, checkQuery: QueryCheck): Record<string, unknown> {
  const query = endpoint.type === 'query' || endpoint.method === 'DELETE' ? checkQuery(request.query as object) : {}
  const fields = endpoint.type === 'query' ? query : { ...query, ...(bodyInput(request.body, endpoint) as object) }
  const operator = request.caller.session?.operator ?? undefined
  return { ...fields, ...(operator && endpoint.inputOfOperator?.(operator)), ...(request.params as object) }
}

function bodyInput(body: unknown, { inputOfBody }: Endpoint): unknown {
  if (inputOfBody !== undefined) return inputOfBody(body)
  if (body === undefined) return {}
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new ServiceError('validation_error', 'The body must be a JSON object')
}
