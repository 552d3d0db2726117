import { defaultTextMapGetter, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
} from '@opentelemetry/semantic-conventions'
import type { TracedResponse, Tracing } from '../tracing.ts'
import type { SpanTools } from './span-tools.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'CONNECT'])

/** The spans of requests. */
export function requestSpans({ tracer, contexts }: SpanTools): Pick<Tracing, 'beginRequest'> {
  const propagator = new W3CTraceContextPropagator()
  return {
    beginRequest(headers, { method: given, scheme, path, requestId }) {
      const method = METHODS.has(given) ? given : '_OTHER'
      const caller = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      const attributes = {
        [ATTR_HTTP_REQUEST_METHOD]: method,
        [ATTR_URL_SCHEME]: scheme,
        [ATTR_URL_PATH]: path,
        'fulfillment.request_id': requestId,
      }
      const name = method === '_OTHER' ? 'HTTP' : method
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller)
      const context = trace.setSpan(caller, span)
      const { traceId, spanId } = span.spanContext()
      return {
        ids: { trace_id: traceId, span_id: spanId },
        within: (work) => contexts.with(context, work),
        end: (response) => endRequest(span, name, response),
      }
    },
  }
}

function endRequest(span: Span, method: string, { route, status, isComplete, tenantId, keyId }: TracedResponse): void {
  if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute(ATTR_HTTP_ROUTE, route)
  if (tenantId !== undefined) span.setAttribute('fulfillment.tenant_id', tenantId)
  if (keyId !== undefined) span.setAttribute('fulfillment.key_id', keyId)
  if (isComplete) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, status)
  // A 4xx response is not an error of the server.
  const error = isComplete ? (status >= 500 ? String(status) : undefined) : 'client_disconnected'
  if (error !== undefined) span.setAttribute(ATTR_ERROR_TYPE, error)
  if (isComplete && error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
