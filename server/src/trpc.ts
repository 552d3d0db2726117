import { initTRPC, type TRPCError } from '@trpc/server'
import type { OpenApiMeta } from 'trpc-to-openapi'
import { ZodError, type z } from 'zod'
import type { CallContext, Scope } from './context.ts'
import { databaseErrorToServiceError } from './database/errors.ts'
import { ServiceError, type ErrorCode } from './errors.ts'
import { InvalidItems, invalidInput } from './invalid-input.ts'

type OpenApi = NonNullable<OpenApiMeta['openapi']>

/** That an endpoint is going to be removed, and what callers are to do about it. */
export interface Deprecation {
  /** The day from which it is deprecated, UTC: `2027-01-31`. */
  since: string
  /** The first day on which it may be gone, UTC. */
  sunset?: string
  /** A page that says what to use instead. */
  link: string
}

/** How a procedure appears in REST and in the OpenAPI document, besides its input and output. */
export interface ProcedureMeta {
  scope: Scope
  /** The domain errors that the procedure can answer with; those that every endpoint shares are added to them. */
  errors: readonly ErrorCode[]
  /** Present on what the API adds to its published specification, for the document. */
  extension?: boolean
  deprecated?: Deprecation
  /** For a body that is not an object with the input's own fields: makes the input of it. */
  inputOfBody?: (body: unknown) => unknown
  /** For input that is an array under this name: errors are reported by position in it, as `{ index, error }`. */
  indexedInput?: string
  /** For what waits for other servers: it must not be in a transaction meanwhile. */
  callsOthers?: boolean
  /**
   * For reads that may come from a replica, a moment old: lists and reports, which cost the primary most; a function of the input when it
   * depends on that. What callers decide by stays on the primary: single records and current stock, which are read to be changed or to
   * answer a webhook; the feed of events, whose readers must not be told of a later event before an earlier one; keys and subscriptions,
   * where the look into what the key wrote would cost as much as the read. So does what is no read of data: authentication, the rate
   * limit and idempotency keys must see what other servers did a moment ago.
   */
  readsReplica?: true | ((input: object) => boolean)
  openapi: OpenApi
}

const t = initTRPC
  .context<CallContext>()
  .meta<ProcedureMeta>()
  .create({
    errorFormatter: ({ shape, error, ctx }) => {
      const failure = failureOfCall(error, ctx?.requestId)
      const { errorCode: error_code, details } = failure
      return { ...shape, message: failure.message, data: { ...shape.data, stack: undefined, error_code, details } }
    },
  })

/** The failure of a native call: what it ended with, or what tRPC itself finds wrong with it; all else is a fault of ours. */
export function failureOfCall(error: TRPCError, requestId: string | undefined): ServiceError {
  if (error instanceof ServiceError) return error
  const { code, message } = error
  switch (code) {
    case 'NOT_FOUND':
      return new ServiceError('not_found', message)
    case 'METHOD_NOT_SUPPORTED':
      return new ServiceError('method_not_allowed', message)
    case 'UNSUPPORTED_MEDIA_TYPE':
      return new ServiceError('unsupported_media_type', message)
    case 'BAD_REQUEST':
    case 'PARSE_ERROR':
      return new ServiceError('validation_error', message)
    default:
      return new ServiceError('internal_error', `Internal server error, request id ${requestId ?? 'unknown'}`)
  }
}

export const router = t.router

/** A procedure that needs `scope`, and its place in the REST API. */
export function endpoint(
  scope: Scope,
  openapi: Pick<OpenApi, 'method' | 'path' | 'summary' | 'description' | 'successDescription'> & { path: `/${string}` },
  meta: Partial<Omit<ProcedureMeta, 'scope' | 'openapi'>> = {},
) {
  const procedure = t.procedure
    .meta({ scope, errors: [], ...meta, openapi })
    .use(async ({ ctx, next, meta: own, getRawInput }) => {
      requireScope(ctx.caller.scopes, scope)
      if (ctx.replicaReads !== undefined && (await mayReadReplica(own, getRawInput))) {
        const result = await ctx.replicaReads.attempt(ctx.caller, (db) => next({ ctx: { db } }))
        if (result !== undefined) return result
      }
      const result = await next()
      if (!result.ok) throw translated(result.error, own)
      return result
    })
  if (openapi.method === 'GET') return procedure
  const input = ((schema: z.ZodType) => procedure.input(schema).use(audited)) as typeof procedure.input
  return { ...procedure, input }
}

/** What changes something is in the audit log before it begins, with its input as it was checked. */
const audited = t.middleware(async ({ ctx, path, input, meta, next }) => {
  const change = ctx.beginChange()
  try {
    const addError = await ctx.beginAudit(path, input)
    if (change !== undefined) await change.noted
    const result = await next()
    if (result.ok) return result
    const error = translated(result.error, meta)
    addError(error instanceof ServiceError ? error.errorCode : 'internal_error')
    return result
  } finally {
    change?.end()
  }
})

async function mayReadReplica(meta: ProcedureMeta | undefined, getRawInput: () => Promise<unknown>): Promise<boolean> {
  const readsReplica = meta?.readsReplica
  if (typeof readsReplica !== 'function') return readsReplica === true
  const input = await getRawInput()
  return typeof input === 'object' && input !== null && readsReplica(input)
}

/** Throws `insufficient_scope` unless `granted` holds the scope or `admin`. */
export function requireScope(granted: readonly Scope[], scope: Scope): void {
  if (granted.includes(scope) || granted.includes('admin')) return
  throw new ServiceError('insufficient_scope', `This API key lacks the scope ${scope}`)
}

function translated(error: TRPCError, meta: ProcedureMeta | undefined): TRPCError {
  if (error instanceof ServiceError) return error
  if (error.code === 'BAD_REQUEST' && (error.cause instanceof ZodError || error.cause instanceof InvalidItems))
    return invalidInput(error.cause, meta)
  return databaseErrorToServiceError(error.cause) ?? error
}
