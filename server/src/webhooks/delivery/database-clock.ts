import type { Clock } from '../../clock.ts'

/**
 * The database's clock, by which all processes schedule. A process's own clock may be wrong, or be set while it runs: of it only the
 * time that passes is used.
 */
export class DatabaseClock implements Clock {
  /** What to add to the time that the process has run. */
  #offsetMs: number | undefined

  /** Takes the time that the database has just told. */
  set(now: string): void {
    this.#offsetMs = Date.parse(now) - performance.now()
  }

  now(): Date {
    if (this.#offsetMs === undefined) throw new Error('The database has not been asked for the time yet')
    return new Date(this.#offsetMs + performance.now())
  }
}
