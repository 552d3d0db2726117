import type pg from 'pg'
import type { Probe } from './probe.ts'

const CHECK_MS = 100

/** If a connection gets no response for this long, the probe checks the database. */
const SILENCE_MS = 250

/** Longer than any statement may run. If the probe succeeds, the connection is broken, not the database. */
const STUCK_MS = 20_000

/** A connection that is checked for missing responses. */
export interface WatchedConnection extends Pick<pg.Client, 'connection'> {
  /** Number of queries without a response. */
  readonly waiting: number
  readonly heardAtMs: number
}

/**
 * Distinguishes a database that does not respond from a slow one. A frozen server, or one behind a dead network, closes no connection, so a
 * query would wait forever. When a connection gets no response for a while, the probe sends a trivial query. Without a response the database
 * counts as lost: queries in progress and new ones fail immediately, until the probe gets a response again.
 */
export class Availability {
  readonly #clients = new Set<WatchedConnection>()
  readonly #probe: Probe
  readonly #report: (message: string) => void
  readonly #timer: NodeJS.Timeout
  #nowMs = 0
  #probing = false
  #lost = false

  constructor(probe: Probe, report: (message: string) => void) {
    this.#probe = probe
    this.#report = report
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  /** Whether the database does not respond. */
  get isLost(): boolean {
    return this.#lost
  }

  /** Time measured by the interval of checks. A late check counts once, because a blocked process cannot read responses. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** Number of queries that wait for a response. */
  get waiting(): number {
    return [...this.#clients].reduce((sum, { waiting }) => sum + waiting, 0)
  }

  /** Watches a connection until it is forgotten. */
  watch(client: WatchedConnection): void {
    this.#clients.add(client)
  }

  /** The connection has ended, or was never made. */
  forget(client: WatchedConnection): void {
    this.#clients.delete(client)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#breakConnections()
    this.#probe.close()
  }

  /** Makes queries in progress fail. */
  #breakConnections(): void {
    this.#clients.forEach((client) => client.connection.stream.destroy())
  }

  #check(): void {
    this.#nowMs += CHECK_MS
    let silent = this.#lost
    for (const { waiting, heardAtMs, connection } of this.#clients) {
      if (waiting === 0) continue
      if (this.#nowMs - heardAtMs > SILENCE_MS) silent = true
      if (this.#nowMs - heardAtMs > STUCK_MS) connection.stream.destroy()
    }
    if (silent && !this.#probing) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#probing = true
    const responds = await this.#probe.responds()
    this.#probing = false
    if (responds !== this.#lost) return
    this.#lost = !responds
    this.#report(responds ? 'The database responds again' : 'The database does not respond')
    if (this.#lost) this.#breakConnections()
  }
}
