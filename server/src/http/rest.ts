import { callTRPCProcedure, type AnyTRPCRouter } from '@trpc/server'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify'
import type { CallContext } from '../context.ts'
import { endpointsOf } from '../endpoints.ts'
import { ServiceError } from '../errors.ts'
import { requireScope, type ProcedureMeta } from '../trpc.ts'
import { announceDeprecation } from './deprecation.ts'
import { answerOnce, answerOnceCalling, idempotencyKeyOf } from './idempotency.ts'
import type { LargeAnswers } from './large-answers.ts'
import { queryCheck, type QueryCheck } from './query-check.ts'

export const API_PREFIX = '/api/v1'
const ENVELOPE = { before: '{"success":true,"data":', after: '}' }

/** Registers one route for every endpoint. `guards` run before the scope check: authentication, rate limit. */
export function registerRestRoutes(
  app: FastifyInstance,
  router: AnyTRPCRouter,
  contextOf: (request: FastifyRequest) => CallContext,
  guards: readonly onRequestAsyncHookHandler[],
  largeAnswers: LargeAnswers,
): void {
  for (const { name, type, meta, input: schema } of endpointsOf(router)) {
    const { method, path } = meta.openapi
    const checkQuery = queryCheck(schema, path)
    app.route({
      method,
      url: API_PREFIX + path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: [...guards, async (request) => requireScope(request.caller.scopes, meta.scope)],
      ...(meta.deprecated === undefined ? {} : { onSend: announceDeprecation(meta.deprecated) }),
      handler: async (request, reply) => {
        const input = inputOf(request, meta, checkQuery)
        const getRawInput = async (): Promise<unknown> => input
        const call = (ctx: CallContext): Promise<unknown> =>
          callTRPCProcedure({ router, path: name, type, ctx, getRawInput, signal: undefined, batchIndex: 0 })
        const context = contextOf(request)
        const answerer = meta.callsOthers === true ? answerOnceCalling : answerOnce
        const data = await (type === 'mutation' ? idempotently(request, reply, context, call, answerer) : call(context))
        return (await largeAnswers.answerFor(request, reply, data, ENVELOPE)) ?? { success: true, data }
      },
    })
  }
}

async function idempotently(
  request: FastifyRequest,
  reply: FastifyReply,
  context: CallContext,
  call: (context: CallContext) => Promise<unknown>,
  answerer: typeof answerOnce,
): Promise<unknown> {
  const key = idempotencyKeyOf(request.headers['idempotency-key'])
  if (key === undefined) return call(context)
  const fingerprint = `${request.method} ${request.url} ${request.bodyHash ?? JSON.stringify(request.body)}`
  // What the call changes is committed after it.
  const change = context.beginChange()
  try {
    const keyed = { tenantId: context.caller.tenantId, key, fingerprint }
    // Read again before the commit, a revoked key would be kept as valid.
    const revoked: number[] = []
    const forgetKey = (keyId: number): number => revoked.push(keyId)
    const answer = await answerer(context.db, context.encryption, keyed, (db) => call({ ...context, db, forgetKey }))
    for (const keyId of revoked) context.forgetKey(keyId)
    if (answer.replayed) reply.header('idempotency-replayed', 'true')
    return answer.data
  } finally {
    change?.end()
  }
}

/** One flat object of the body's or the query's fields and the path's; a path parameter wins over a field of the same name. */
function inputOf(request: FastifyRequest, meta: ProcedureMeta, checkQuery: QueryCheck): Record<string, unknown> {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const fields = isRead ? checkQuery(request.query as object) : bodyInput(request.body, meta)
  return { ...(fields as object), ...(request.params as object) }
}

function bodyInput(body: unknown, meta: ProcedureMeta): unknown {
  if (meta.inputOfBody !== undefined) return meta.inputOfBody(body)
  if (body === undefined) return {}
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  throw new ServiceError('validation_error', 'The body must be a JSON object')
}
