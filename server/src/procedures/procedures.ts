import { type AnyTRPCProcedure, type AnyTRPCRouter, callTRPCProcedure } from '@trpc/server'
import { type BeginAudit, RecordedChange } from './change.ts'
import type { CallContext, CallResult, ProcedureContext } from './call-context.ts'
import type { Endpoint } from './endpoint.ts'
import { type ConstraintErrors, failureOf } from './failure.ts'
import { type KeyedRequest, RunOnce } from './idempotency/run-once.ts'
import type { Slice } from './slice.ts'
import { router } from './trpc.ts'

/** All endpoints of the service, and the pipeline that calls them. */
export interface Procedures {
  endpoints: readonly Endpoint[]
  router: AnyTRPCRouter
  /**
   * Calls an endpoint. The caller of this function has checked the scope. From the outside in, it translates errors; with an idempotency key,
   * returns the stored response or stores the new one in the transaction of what follows; checks the input; for a write, writes the audit entry
   * and notes the write for replicas; runs the endpoint; and checks the output. Throws `ServiceError` only.
   */
  call: (context: CallContext, input: unknown, keyed?: KeyedRequest) => Promise<CallResult>
  /** The same for a client of tRPC: runs the procedure itself. */
  callProcedure: (context: CallContext, input: unknown) => Promise<CallResult>
}

/** The procedures of all endpoints of these slices. */
export function proceduresOf(slices: readonly Slice[]): Procedures {
  const endpoints = slices.flatMap((slice) => slice.endpoints)
  const constraints = Object.assign({}, ...slices.map((slice) => slice.constraints ?? {})) as ConstraintErrors
  const all = routerOf(endpoints)
  const once = new RunOnce()
  const executeOf = new Map(endpoints.map(({ name, execute }) => [name, execute]))
  const execute: Run = (ctx, input) => (executeOf.get(ctx.endpoint.name) as Run)(ctx, input)
  const runProcedure: Run = (ctx, input) =>
    callTRPCProcedure({
      router: all,
      path: ctx.endpoint.name,
      type: ctx.endpoint.type,
      ctx,
      getRawInput: async () => input,
      signal: undefined,
      batchIndex: 0,
    })
  let changing = 0
  const isAlone = (): boolean => changing === 1
  const pipeline = async (run: Run, context: CallContext, input: unknown, keyed?: KeyedRequest): Promise<CallResult> => {
    const { endpoint, requestId } = context
    const change = endpoint.type === 'mutation' ? recordedChange(context, keyed, isAlone) : undefined
    if (change !== undefined) changing++
    try {
      const ctx = { ...context, change }
      if (keyed === undefined) return { data: await run(ctx, input), isReplayed: false }
      return await once.run(ctx, keyed, (own) => run({ ...ctx, ...own }, input))
    } catch (error) {
      const failure = failureOf(error, { requestId, endpoint, constraints })
      change?.failed(failure.errorCode)
      throw failure
    } finally {
      if (change !== undefined) changing--
      change?.end()
    }
  }
  return {
    endpoints,
    router: all,
    call: (context, input, keyed) => pipeline(execute, context, input, keyed),
    callProcedure: (context, input) => pipeline(runProcedure, context, input),
  }
}

type Run = (ctx: ProcedureContext, input: unknown) => Promise<unknown>

/** An endpoint that runs outside of a transaction claims its key before the work begins, so the audit entry does not look for a stored response. */
function recordedChange(
  { beginAudit, beginChange, endpoint }: CallContext,
  keyed: KeyedRequest | undefined,
  isAlone: () => boolean,
): RecordedChange {
  if (endpoint.changesNothing === true) return new RecordedChange(NO_ENTRY, undefined)
  const key = endpoint.outsideTransaction === true ? undefined : keyed?.key
  return new RecordedChange(beginAudit, beginChange(), key, endpoint.isOneStatement === true ? isAlone : undefined)
}

/** For a call without an audit entry. A stored response of its key is found when the response would be stored. */
const NO_ENTRY: BeginAudit = () => Promise.resolve({ addError: () => {} })

/** `orders.cancel` is the procedure `cancel` of the router `orders`. */
function routerOf(endpoints: readonly Endpoint[]): AnyTRPCRouter {
  const groups: Record<string, Record<string, AnyTRPCProcedure>> = {}
  for (const { name, procedure } of endpoints) {
    const [group = '', verb = ''] = name.split('.')
    ;(groups[group] ??= {})[verb] = procedure
  }
  return router(groups)
}

type Group<Name extends string> = Name extends `${infer G}.${string}` ? G : never
type Verb<Name extends string, G extends string> = Name extends `${G}.${infer V}` ? V : never

/** The routers of endpoints, by type: for tRPC clients in TypeScript. */
export type RouterRecord<E extends Endpoint> = {
  [G in Group<E['name']>]: { [V in Verb<E['name'], G>]: Extract<E, { name: `${G}.${V}` }>['procedure'] }
}
