import { initTRPC, type TRPC_ERROR_CODE_KEY, type TRPCCreateRouterOptions } from '@trpc/server'
import type { OpenApiMeta } from 'trpc-to-openapi'
import type { ProcedureContext } from './call-context.ts'
import { ServiceError } from '../errors/service-error.ts'

/** Metadata of a procedure: its name, and the input of trpc-to-openapi. */
export interface EndpointMeta {
  name: string
  openapi: NonNullable<OpenApiMeta['openapi']>
}

const t = initTRPC
  .context<ProcedureContext>()
  .meta<EndpointMeta>()
  .create({
    // Only for the types of `error_code` and `details` in tRPC clients. Error responses are written in http/trpc.ts.
    errorFormatter: ({ shape, error }) => {
      const failure = error.cause instanceof ServiceError ? error.cause : undefined
      return {
        ...shape,
        data: { ...shape.data, stack: undefined, error_code: failure?.errorCode, details: failure?.details },
      }
    },
  })

export const router = t.router

/** The type of a router made of `Procedures`. */
export type BuiltRouter<Procedures extends TRPCCreateRouterOptions> = ReturnType<typeof t.router<Procedures>>

/** The base of every procedure. */
export const procedure = t.procedure

/** tRPC's code for an HTTP status of the API. */
export function trpcCodeOf(status: number): TRPC_ERROR_CODE_KEY {
  return CODES[status] ?? 'INTERNAL_SERVER_ERROR'
}

const CODES: Partial<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_SUPPORTED',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
}
