import type { AppRouter } from './router.ts'
import type { ProcedureMeta } from './trpc.ts'

/** A procedure and its place in the REST API. */
export interface Endpoint {
  /** `orders.create` */
  name: string
  meta: ProcedureMeta
}

/** Every procedure of the router. */
export function endpointsOf(router: AppRouter): Endpoint[] {
  return Object.entries(router._def.procedures as unknown as Record<string, { _def: { meta?: ProcedureMeta } }>).flatMap(
    ([name, { _def }]) => (_def.meta === undefined ? [] : [{ name, meta: _def.meta }]),
  )
}
