import type { Clock } from '../runtime/clock.ts'

/**
 * The database's clock, by which all processes schedule. A process's own clock may be wrong or be set while the process runs; only
 * elapsed time is taken from it.
 */
export class DatabaseClock implements Clock {
  /** Offset to add to the uptime of the process. */
  #offsetMs: number | undefined

  /** Sets the time that the database just reported. */
  set(now: string): void {
    this.#offsetMs = Date.parse(now) - performance.now()
  }

  now(): Date {
    if (this.#offsetMs === undefined) throw new Error('The time of the database is not known yet')
    return new Date(this.#offsetMs + performance.now())
  }
}
