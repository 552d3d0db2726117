import type { Tracer } from '@opentelemetry/api'
import type { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'

/** The objects that make spans. */
export interface SpanTools {
  tracer: Tracer
  contexts: AsyncLocalStorageContextManager
}
