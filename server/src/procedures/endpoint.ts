import type { AnyTRPCProcedure, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'
import type { z } from 'zod'
import type { RequestContext } from './context.ts'
import type { EndpointFacts, HttpMethod, NamedEndpoint } from './endpoint-facts.ts'
import { audited, type EndpointMeta, procedure, requireCallOf } from './trpc.ts'

/** The definition of an endpoint. */
export interface EndpointDefinition<
  Name extends string,
  Method extends HttpMethod,
  Input extends z.ZodType,
  Output extends z.ZodType,
> extends EndpointFacts {
  name: Name
  method: Method
  /** All fields of path, query and body together. */
  input: Input
  output: Output
  /** Executes a call with valid input. Throws `ServiceError`. */
  run: (context: RequestContext, input: z.output<Input>) => Promise<NoInfer<z.input<Output>>>
}

/** An endpoint and its tRPC procedure. */
export interface Endpoint<
  Name extends string = string,
  Procedure extends AnyTRPCProcedure = AnyTRPCProcedure,
> extends NamedEndpoint {
  name: Name
  input: z.ZodType
  output: z.ZodType
  procedure: Procedure
}

/** An endpoint whose `run` other endpoints can call, without the pipeline around a call. */
export type RunnableEndpoint<
  Name extends string,
  Method extends HttpMethod,
  Input extends z.ZodType,
  Output extends z.ZodType,
> = Endpoint<Name, ProcedureOf<Method, Input, Output>> & Pick<EndpointDefinition<Name, Method, Input, Output>, 'run'>

type ProcedureOf<Method extends HttpMethod, Input extends z.ZodType, Output extends z.ZodType> = Method extends 'GET'
  ? TRPCQueryProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: EndpointMeta }>
  : TRPCMutationProcedure<{ input: z.input<Input>; output: z.output<Output>; meta: EndpointMeta }>

/**
 * Defines an endpoint. The tRPC procedure, the REST route, the operation of the OpenAPI document, the audit entries and the table-driven
 * tests are made from this value.
 */
export function endpoint<
  const Name extends string,
  const Method extends HttpMethod,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(definition: EndpointDefinition<Name, Method, Input, Output>): RunnableEndpoint<Name, Method, Input, Output> {
  const type = definition.method === 'GET' ? 'query' : 'mutation'
  return { ...definition, type, procedure: procedureOf(definition, type) as unknown as ProcedureOf<Method, Input, Output> }
}

function procedureOf<Name extends string, Method extends HttpMethod, Input extends z.ZodType, Output extends z.ZodType>(
  { name, method, path, summary, description, readsReplica, input, output, run }: EndpointDefinition<Name, Method, Input, Output>,
  type: Endpoint['type'],
): AnyTRPCProcedure {
  const own = procedure.meta({ name, openapi: { method, path, summary, description } }).input(input)
  if (type === 'mutation')
    return own
      .use(audited)
      .output(output as z.ZodType)
      .mutation(({ ctx, input: valid }) => run(ctx, valid as z.output<Input>))
  return own.output(output as z.ZodType).query(({ ctx, input: valid }) => {
    requireCallOf(name, ctx)
    const { replicaReads } = ctx
    const mayReadReplica = readsReplica === true || readsReplica?.(valid as object)
    if (replicaReads === undefined || mayReadReplica !== true) return run(ctx, valid as z.output<Input>)
    return replicaReads.read(ctx.caller, ctx.db, (db) => run({ ...ctx, db, isReplica: db !== ctx.db }, valid as z.output<Input>))
  })
}
