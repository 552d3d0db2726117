import { type AnyTRPCProcedure, TRPCError, type TRPCMutationProcedure, type TRPCQueryProcedure } from '@trpc/server'
import { ZodError, type z } from 'zod'
import type { ProcedureContext } from './call-context.ts'
import type { RequestContext } from './context.ts'
import type { EndpointFacts, HttpMethod, NamedEndpoint } from './endpoint-facts.ts'
import { InvalidItemsError } from './invalid-input.ts'
import { JsonText, valueOf } from './json-text.ts'
import { type EndpointMeta, procedure } from './trpc.ts'

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

/** The definition of an endpoint whose `run` returns the text of all data: see `JsonText`. */
export interface TextEndpointDefinition<
  Name extends string,
  Method extends HttpMethod,
  Input extends z.ZodType,
  Output extends z.ZodType,
> extends Omit<EndpointDefinition<Name, Method, Input, Output>, 'run'> {
  run: (context: RequestContext, input: z.output<Input>) => Promise<JsonText>
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
  /**
   * Does what the procedure does: checks the input, runs the call, checks the output. tRPC copies its options for every check, which takes a
   * sixth of the server's time of a read, so only tRPC clients call the procedure itself. The result may be a `JsonText`, which is not checked.
   */
  execute: (context: ProcedureContext, input: unknown) => Promise<unknown>
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
  return { ...endpointOf<Name, Method, Input, Output>(definition), run: definition.run }
}

/** Defines an endpoint whose `run` returns the text of the data. tRPC and agents get the data itself. */
export function textEndpoint<
  const Name extends string,
  const Method extends HttpMethod,
  Input extends z.ZodType,
  Output extends z.ZodType,
>(
  definition: TextEndpointDefinition<Name, Method, Input, Output>,
): Endpoint<Name, ProcedureOf<Method, Input, Output>> & Pick<TextEndpointDefinition<Name, Method, Input, Output>, 'run'> {
  return { ...endpointOf<Name, Method, Input, Output>(definition), run: definition.run }
}

function endpointOf<Name extends string, Method extends HttpMethod, Input extends z.ZodType, Output extends z.ZodType>(
  definition: AnyDefinition<Name, Method, Input, Output>,
): Endpoint<Name, ProcedureOf<Method, Input, Output>> {
  const type = definition.method === 'GET' ? 'query' : 'mutation'
  const work = type === 'mutation' ? recordedWork(definition) : replicaWork(definition)
  return {
    ...definition,
    type,
    procedure: procedureOf(definition, type, work) as unknown as ProcedureOf<Method, Input, Output>,
    execute: executed(definition, work),
  }
}

/** What a call does with its checked input. Checks that the call was authorized for this endpoint. */
type Work = (context: ProcedureContext, valid: unknown) => Promise<unknown>
interface AnyDefinition<
  Name extends string,
  Method extends HttpMethod,
  Input extends z.ZodType,
  Output extends z.ZodType,
> extends Omit<EndpointDefinition<Name, Method, Input, Output>, 'run'> {
  run: (context: RequestContext, input: z.output<Input>) => Promise<unknown>
}
type Definition = AnyDefinition<string, HttpMethod, z.ZodType, z.ZodType>

/** Writes the audit entry with the checked input before the change begins. */
function recordedWork<I extends z.ZodType, O extends z.ZodType>({ name, run }: AnyDefinition<string, HttpMethod, I, O>): Work {
  return async (context, valid) => {
    requireCallOf(name, context)
    if (context.change === undefined) throw new Error(`${name} changes something that nobody records`)
    return await context.change.make(valid, context.db, (db) => run({ ...context, db }, valid as z.output<I>))
  }
}

/** Reads on the replica where the endpoint allows it. */
function replicaWork<I extends z.ZodType, O extends z.ZodType>({
  name,
  readsReplica,
  run,
}: AnyDefinition<string, HttpMethod, I, O>): Work {
  return async (context, valid) => {
    requireCallOf(name, context)
    const { replicaReads } = context
    const mayReadReplica = readsReplica === true || readsReplica?.(valid as object)
    if (replicaReads === undefined || mayReadReplica !== true) return await run(context, valid as z.output<I>)
    return await replicaReads.read(context.caller, context.db, (db) =>
      run({ ...context, db, isReplica: db !== context.db }, valid as z.output<I>),
    )
  }
}

function requireCallOf(name: string, { endpoint: called }: ProcedureContext): void {
  if (called.name !== name) throw new Error(`A call of ${called.name} reached ${name}`)
}

function procedureOf(
  { name, method, path, summary, description, input, output }: Omit<Definition, 'run'>,
  type: Endpoint['type'],
  work: Work,
): AnyTRPCProcedure {
  const own = procedure.meta({ name, openapi: { method, path, summary, description } }).input(input).output(output)
  if (type === 'mutation') return own.mutation(async ({ ctx, input: valid }) => valueOf(await work(ctx, valid)))
  return own.query(async ({ ctx, input: valid }) => valueOf(await work(ctx, valid)))
}

/** Errors of the three steps differ, as those of the procedure do: see `failureOf`. */
function executed({ input, output }: Pick<Definition, 'input' | 'output'>, work: Work): Endpoint['execute'] {
  return async (context, given) => {
    const valid = await checked(input, given, 'BAD_REQUEST')
    const result = await work(context, valid).catch((cause: unknown) => {
      throw cause instanceof ZodError || cause instanceof InvalidItemsError
        ? new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause })
        : cause
    })
    return result instanceof JsonText ? result : await checked(output, result, 'INTERNAL_SERVER_ERROR')
  }
}

async function checked(schema: z.ZodType, value: unknown, code: TRPCError['code']): Promise<unknown> {
  try {
    // A schema that checks a large input in several turns of the event loop returns a promise.
    return await schema.parse(value)
  } catch (cause) {
    throw new TRPCError({ code, cause })
  }
}
