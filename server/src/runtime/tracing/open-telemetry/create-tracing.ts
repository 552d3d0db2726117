import { diag, DiagLogLevel } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { setGlobalErrorHandler } from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { ATTR_SERVICE_NAME } from '@opentelemetry/semantic-conventions'
import { within } from '../../within.ts'
import type { TracingSettings } from '../tracing-settings.ts'
import type { Tracing } from '../tracing.ts'
import { deliverySpans } from './delivery-spans.ts'
import { requestSpans } from './request-spans.ts'
import { samplerOf } from './sampler.ts'
import { statementSpans } from './statement-spans.ts'

const SERVICE_NAME = 'fulfillment'
/** Longest wait for the collector when the server stops. */
const STOP_MS = 2_000
/** Bounds the memory of the spans that wait to be sent, together with their number: a path can have 16 KB. */
const MAX_ATTRIBUTE_LENGTH = 1_024

/**
 * Makes spans and sends them in batches. It uses the official SDK, because others extend the standards that the SDK implements. It does not
 * use automatic instrumentation, which patches modules when they load and knows neither the service's routes nor its shared statements.
 */
export function createTracing(
  { url, protocol, sampler, ratio, batches }: TracingSettings,
  onError: (error: unknown) => void,
): Tracing {
  reportErrors(onError)
  const exporter = protocol === 'http/json' ? new JsonExporter({ url }) : new ProtobufExporter({ url })
  const provider = new TracerProvider({
    resource: resourceOfProcess(),
    sampler: samplerOf(sampler, ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...batches })],
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
  })
  const tools = { tracer: provider.getTracer(SERVICE_NAME), contexts: new AsyncLocalStorageContextManager().enable() }
  return {
    ...requestSpans(tools),
    ...statementSpans(tools),
    ...deliverySpans(tools),
    stop: () => within(STOP_MS, provider.shutdown(), refuseToWait).catch(onError),
  }
}

function resourceOfProcess() {
  const detectors = [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector]
  return defaultResource()
    .merge(resourceFromAttributes({ [ATTR_SERVICE_NAME]: SERVICE_NAME }))
    .merge(detectResources({ detectors }))
}

function reportErrors(onError: (error: unknown) => void): void {
  setGlobalErrorHandler(onError)
  const report = (message: string): void => onError(new Error(message))
  const ignore = (): void => {}
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

function refuseToWait(): never {
  throw new Error(`The collector did not take the last spans within ${STOP_MS / 1_000} s`)
}
