import type { IncomingHttpHeaders } from 'node:http'

/** What is measured and sent to a collector of OpenTelemetry. No body, query string, SQL value or secret is ever part of it. */
export interface Tracing {
  /** Begins the span of a request, in the trace of its caller when its headers name one. */
  beginRequest(headers: IncomingHttpHeaders, request: TracedRequest): RequestTrace
  /** Runs `work` in a span, unless it belongs to no request or delivery that is recorded. */
  statement<T>(statement: TracedStatement, work: () => Promise<T>): Promise<T>
  /** Notes who asks for work that may be done for several requests at once. */
  waiter(): Waiter
  /** Runs one statement for these requests: in the span of the only one, else in a span of its own that is linked with theirs. */
  together<T>(waiters: readonly (Waiter | undefined)[], work: () => Promise<T>): Promise<T>
  /** Sends a webhook in a span of its own. `send` gets the headers that carry the trace to the receiver. */
  delivery<T extends DeliveryOutcome>(delivery: TracedDelivery, send: (headers: TraceHeaders) => Promise<T>): Promise<T>
  /** Sends what is left, for a bounded time. */
  stop(): Promise<void>
}

export type TraceHeaders = Readonly<Record<string, string>>

export interface TracedRequest {
  method: string
  scheme: string
  /** Without the query. */
  path: string
  requestId: string
}

/** The span of one request. */
export interface RequestTrace {
  /** For log lines. */
  readonly ids: { trace_id: string; span_id: string }
  /** Runs `work` so that the spans of what it starts are part of this one. */
  within(work: () => void): void
  end(answer: TracedAnswer): void
}

export interface TracedAnswer {
  /** With its parameters' names: `/api/v1/orders/{id}`; undefined for an unknown path. */
  route: string | undefined
  status: number
  /** False when the client went away before it had the answer. */
  isComplete: boolean
  tenantId: number | undefined
  keyId: number | undefined
}

export interface TracedStatement {
  name: string
  /** How long it waited for a connection of its own. */
  waitedMs?: number | undefined
}

/** A request that waits for work done for several of them. */
export interface Waiter {
  /** The context of OpenTelemetry. */
  readonly context: unknown
  /** By `performance.now()`. */
  readonly sinceMs: number
}

export interface TracedDelivery {
  tenantId: number
  eventId: string
  topic: string
  attempt: number
  url: string
}

export interface DeliveryOutcome {
  status: number | null
  error: string | null
}
