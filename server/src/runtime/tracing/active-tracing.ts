import type { Log } from '../log.ts'
import type { TracingSettings } from './tracing-settings.ts'
import type { Tracing } from './tracing.ts'

const REPORT_EVERY_MS = 60_000

let active: Tracing | undefined

/** The tracing of this process; undefined while tracing is off. This check is its only cost then. */
export function activeTracing(): Tracing | undefined {
  return active
}

/** Turns tracing on if it is configured. Returns a function that sends the remaining spans and turns tracing off. */
export async function startTracing(settings: TracingSettings | undefined, log: Pick<Log, 'warn'>): Promise<() => Promise<void>> {
  if (settings === undefined) return async () => {}
  // Loaded only when needed: OpenTelemetry takes longer to load than the rest of a start, and most servers have no collector.
  const { createTracing } = await import('./open-telemetry/create-tracing.ts')
  const tracing = createTracing(settings, reportSeldom(log))
  active = tracing
  return async () => {
    active = undefined
    await tracing.stop()
  }
}

/** Logs at most one error a minute: while a collector is down, an export fails every few seconds. */
function reportSeldom(log: Pick<Log, 'warn'>): (error: unknown) => void {
  let reportedAtMs = -Infinity
  return (err) => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return
    reportedAtMs = performance.now()
    log.warn({ err }, 'could not export spans to the trace collector (logged at most once a minute)')
  }
}
