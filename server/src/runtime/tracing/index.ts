export { activeTracing, startTracing } from './active-tracing.ts'
export { readTracingSettings, type TracingSettings } from './tracing-settings.ts'
export type { RequestTrace, TraceHeaders, Tracing, Waiter } from './tracing.ts'
