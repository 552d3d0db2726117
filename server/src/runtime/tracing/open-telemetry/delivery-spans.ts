import { defaultTextMapSetter, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { TRACE_PARENT_HEADER, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
} from '@opentelemetry/semantic-conventions'
import type { DeliveryOutcome, TracedDelivery, Tracing } from '../tracing.ts'
import type { SpanTools } from './span-tools.ts'

/** The spans of attempts to deliver webhooks. */
export function deliverySpans({ tracer, contexts }: SpanTools): Pick<Tracing, 'delivery'> {
  const propagator = new W3CTraceContextPropagator()
  return {
    async delivery(delivery, send) {
      const parent = contexts.active()
      const name = `deliver ${delivery.topic}`
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes: attributesOf(delivery) }, parent)
      const carrier: Record<string, string> = {}
      propagator.inject(trace.setSpan(parent, span), carrier, defaultTextMapSetter)
      const { [TRACE_PARENT_HEADER]: traceparent } = carrier
      try {
        // Without the caller's `tracestate`: it is meant for the caller's own systems, and a receiver may belong to another company.
        const outcome = await send(traceparent === undefined ? {} : { traceparent })
        if (outcome.status !== null) span.setAttribute(ATTR_HTTP_RESPONSE_STATUS_CODE, outcome.status)
        const error = errorOf(outcome)
        if (error !== undefined) span.setAttribute(ATTR_ERROR_TYPE, error).setStatus({ code: SpanStatusCode.ERROR })
        return outcome
      } finally {
        span.end()
      }
    },
  }
}

function errorOf({ status, error }: DeliveryOutcome): string | undefined {
  if (error !== null || status === null) return 'no_complete_answer'
  return status >= 200 && status < 300 ? undefined : String(status)
}

function attributesOf({ tenantId, eventId, topic, attempt, url }: TracedDelivery) {
  const receiver = URL.parse(url)
  return {
    [ATTR_HTTP_REQUEST_METHOD]: 'POST',
    // Only host and port: the URL's path and query may contain a secret of the receiver.
    [ATTR_SERVER_ADDRESS]: receiver?.hostname,
    [ATTR_SERVER_PORT]: receiver === null ? undefined : Number(receiver.port) || (receiver.protocol === 'https:' ? 443 : 80),
    'fulfillment.tenant_id': tenantId,
    'fulfillment.event_id': eventId,
    'fulfillment.webhook.topic': topic,
    'fulfillment.webhook.attempt': attempt,
  }
}
