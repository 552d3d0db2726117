import type { AnyTRPCRouter } from '@trpc/server'
import type { z } from 'zod'
import type { ProcedureMeta } from './trpc.ts'

/** A procedure and its place in the REST API. */
export interface Endpoint {
  /** `orders.create` */
  name: string
  type: 'query' | 'mutation'
  meta: ProcedureMeta
  /** The schema of its input; undefined when it has none. */
  input: z.ZodType | undefined
}

/** Every procedure of the router. */
export function endpointsOf(router: AnyTRPCRouter): Endpoint[] {
  return Object.entries(
    router._def.procedures as unknown as Record<
      string,
      { _def: { type: Endpoint['type']; meta?: ProcedureMeta; inputs: z.ZodType[] } }
    >,
  ).flatMap(([name, { _def }]) =>
    _def.meta === undefined ? [] : [{ name, type: _def.type, meta: _def.meta, input: _def.inputs[0] }],
  )
}
