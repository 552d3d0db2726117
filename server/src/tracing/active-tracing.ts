import type { Log } from '../log.ts'
import type { TracingSettings } from './tracing-settings.ts'
import type { Tracing } from './tracing.ts'

const REPORT_EVERY_MS = 60_000

let active: Tracing | undefined

/** The tracing of this process; undefined while it is off, which is all that it then costs. */
export function activeTracing(): Tracing | undefined {
  return active
}

/** Turns tracing on when there are settings for it. Returns what turns it off again and sends the spans that are left. */
export async function startTracing(settings: TracingSettings | undefined, log: Pick<Log, 'warn'>): Promise<() => Promise<void>> {
  if (settings === undefined) return async () => {}
  // Loaded only here: OpenTelemetry takes longer to load than the rest of a start, and most servers have no collector.
  const { createTracing } = await import('./open-telemetry/create-tracing.ts')
  const tracing = createTracing(settings, reportSeldom(log))
  active = tracing
  return async () => {
    active = undefined
    await tracing.stop()
  }
}

/** A collector that is down fails every few seconds. */
function reportSeldom(log: Pick<Log, 'warn'>): (error: unknown) => void {
  let reportedAtMs = -Infinity
  return (err) => {
    if (performance.now() - reportedAtMs < REPORT_EVERY_MS) return
    reportedAtMs = performance.now()
    log.warn({ err }, 'spans were lost on the way to the collector of traces; reported at most once a minute')
  }
}
