import {
  createContextKey,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span,
  type SpanContext,
} from '@opentelemetry/api'
import {
  ATTR_DB_OPERATION_BATCH_SIZE,
  ATTR_DB_QUERY_SUMMARY,
  ATTR_DB_RESPONSE_STATUS_CODE,
  ATTR_DB_SYSTEM_NAME,
  ATTR_ERROR_TYPE,
  DB_SYSTEM_NAME_VALUE_POSTGRESQL,
} from '@opentelemetry/semantic-conventions'
import type { TracedStatement, Tracing, Waiter } from '../tracing.ts'
import type { SpanTools } from './span-tools.ts'
import { sampledContext } from './sampler.ts'

/** A statement shared by several requests. */
interface Shared {
  links: Link[]
  batchSize: number
  /** Name and span of the statement, once it has begun. */
  begun?: { name: string; context: SpanContext }
}

const SHARED = createContextKey('fulfillment.shared_statement')
const SQLSTATE = /^[0-9A-Z]{5}$/

/** The spans of statements and transactions. */
export function statementSpans({ tracer, contexts }: SpanTools): Pick<Tracing, 'statement' | 'waiter' | 'together'> {
  const statement: Tracing['statement'] = async (about, work) => {
    const context = contexts.active()
    const shared = context.getValue(SHARED) as Shared | undefined
    // Background work has no request. Work that outlives its request begins no more spans in it.
    if (shared === undefined && !isRecording(context)) return work()
    const options = { kind: SpanKind.CLIENT, attributes: attributesOf(about, shared), links: shared?.links ?? [] }
    const span = tracer.startSpan(about.name, options, context)
    if (shared !== undefined) shared.begun = { name: about.name, context: span.spanContext() }
    return await ending(span, () => contexts.with(trace.setSpan(context, span), work))
  }

  const shareAmong = async <T>(waiters: readonly Waiter[], batchSize: number, work: () => Promise<T>): Promise<T> => {
    const links = waiters.flatMap(({ context }) => trace.getSpanContext(context as Context) ?? []).map((context) => ({ context }))
    const shared: Shared = { links, batchSize }
    try {
      return await contexts.with(sampledContext(ROOT_CONTEXT).setValue(SHARED, shared), work)
    } finally {
      for (const waiter of waiters) tracer.startSpan(...waitingSpan(waiter, shared)).end()
    }
  }

  return {
    statement,
    waiter: () => ({ context: contexts.active(), sinceMs: performance.now() }),
    together: (waiters, work) => {
      const recorded = waiters.filter((waiter) => waiter !== undefined).filter(({ context }) => isRecording(context as Context))
      if (recorded.length === 0) return contexts.with(ROOT_CONTEXT, work)
      if (waiters.length === 1) return contexts.with(recorded[0]?.context as Context, work)
      return shareAmong(recorded, waiters.length, work)
    },
  }
}

const isRecording = (context: Context): boolean => trace.getSpan(context)?.isRecording() === true

/** A span in a request's trace: its wait for a shared statement, with a link to that statement. */
function waitingSpan({ context, sinceMs }: Waiter, { begun, batchSize }: Shared) {
  const attributes = { [ATTR_DB_OPERATION_BATCH_SIZE]: batchSize }
  const links = begun === undefined ? [] : [{ context: begun.context }]
  return [begun?.name ?? 'statement', { startTime: sinceMs, attributes, links }, context as Context] as const
}

function attributesOf({ name, waitedMs }: TracedStatement, shared: Shared | undefined) {
  return {
    [ATTR_DB_SYSTEM_NAME]: DB_SYSTEM_NAME_VALUE_POSTGRESQL,
    [ATTR_DB_QUERY_SUMMARY]: name,
    ...(shared && { [ATTR_DB_OPERATION_BATCH_SIZE]: shared.batchSize }),
    ...(waitedMs !== undefined && { 'fulfillment.connection_wait_ms': waitedMs }),
  }
}

async function ending<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Not the message: it may quote the caller's input.
    const { code, name } = error as { code?: unknown; name?: string }
    if (typeof code === 'string' && SQLSTATE.test(code)) span.setAttribute(ATTR_DB_RESPONSE_STATUS_CODE, code)
    span
      .setAttribute(ATTR_ERROR_TYPE, typeof code === 'string' ? code : (name ?? '_OTHER'))
      .setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}
