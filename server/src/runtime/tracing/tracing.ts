import type { IncomingHttpHeaders } from 'node:http'

/** Makes spans and sends them to an OpenTelemetry collector. No span contains a body, query string, SQL value or secret. */
export interface Tracing {
  /** Begins the span of a request. If the headers name a trace, the span continues that trace. */
  beginRequest(headers: IncomingHttpHeaders, request: TracedRequest): RequestTrace
  /** Runs `work`, in a span if it belongs to a recorded request or delivery. */
  statement<T>(statement: TracedStatement, work: () => Promise<T>): Promise<T>
  /** The current request, for a statement that several requests may share. */
  waiter(): Waiter
  /** Runs one statement for these requests. For a single request it runs in that request's span, otherwise in a span linked with theirs. */
  together<T>(waiters: readonly (Waiter | undefined)[], work: () => Promise<T>): Promise<T>
  /** Sends a webhook in its own span. `send` gets the headers that propagate the trace to the receiver. */
  delivery<T extends DeliveryOutcome>(delivery: TracedDelivery, send: (headers: TraceHeaders) => Promise<T>): Promise<T>
  /** Sends the remaining spans, for a limited time. */
  stop(): Promise<void>
}

export type TraceHeaders = Readonly<Record<string, string>>

export interface TracedRequest {
  method: string
  scheme: string
  /** The path without the query string. */
  path: string
  requestId: string
}

/** The span of one request. */
export interface RequestTrace {
  /** The ids for log lines. */
  readonly ids: { trace_id: string; span_id: string }
  /** Runs `work`; spans begun in it are children of this span. */
  within(work: () => void): void
  end(response: TracedResponse): void
}

export interface TracedResponse {
  /** The path with the names of its parameters, such as `/api/v1/orders/{id}`. Undefined for an unknown path. */
  route: string | undefined
  status: number
  /** False if the client disconnected before the end of the response. */
  isComplete: boolean
  tenantId: number | undefined
  keyId: number | undefined
}

export interface TracedStatement {
  name: string
  /** Time waited for an exclusive connection. */
  waitedMs?: number | undefined
}

/** A request that waits for a statement shared by several requests. */
export interface Waiter {
  /** The OpenTelemetry context. */
  readonly context: unknown
  /** The start of the wait, by `performance.now()`. */
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
