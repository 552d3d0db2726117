import { createContextKey, type Context } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../tracing-settings.ts'

const IS_SAMPLED = createContextKey('fulfillment.is_sampled')

/** A context in which a root span is always recorded, regardless of the sampler. */
export const sampledContext = (context: Context): Context => context.setValue(IS_SAMPLED, true)

const SAMPLERS: Record<TracingSettings['sampler'], (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
}

/** The sampler with the name in `OTEL_TRACES_SAMPLER`. */
export function samplerOf(name: TracingSettings['sampler'], ratio: number): Sampler {
  const named = SAMPLERS[name](ratio)
  return {
    shouldSample: (context, ...span) =>
      context.getValue(IS_SAMPLED) === true
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : named.shouldSample(context, ...span),
    toString: () => named.toString(),
  }
}
