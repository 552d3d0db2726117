import type pg from 'pg'
import { ConnectionFailure } from './errors.ts'
import { ownTimePassed } from './own-time.ts'
import type { Probe } from './probe.ts'

const CHECK_MS = 100
const CONNECT_TIMEOUT_MS = 1_500

/** A connection that has had no answer for this long makes us ask whether the database answers at all. */
const SILENCE_MS = 250

/** Longer than any statement may run: the database answers others, so it is the connection that is broken. */
const STUCK_MS = 20_000

interface Watched {
  client: pg.Client
  /** Queries without an answer. */
  waiting: number
  /** When it began to wait, or got its latest answer, by the clock of `Availability`. */
  heardAtMs: number
}

/**
 * Tells a database that does not answer from one that is slow. A frozen server, or one behind a dead network, closes no connection, and
 * a query to it would wait for ever. So when a connection has been silent for a while, the probe asks something that takes no time. Without
 * an answer the database counts as lost: what is under way fails at once, and so does what comes, until the probe is answered again.
 */
export class Availability {
  readonly #watched = new Map<pg.Client, Watched>()
  readonly #probe: Probe
  readonly #report: (message: string) => void
  readonly #timer: NodeJS.Timeout
  /** Counts checks, a late one as one: while this process is busy, answers lie unread. */
  #nowMs = 0
  #probing = false
  #lost = false

  constructor(probe: Probe, report: (message: string) => void) {
    this.#probe = probe
    this.#report = report
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref()
  }

  /** The database does not answer. */
  get isLost(): boolean {
    return this.#lost
  }

  /** Queries that wait for an answer. */
  get waiting(): number {
    return [...this.#watched.values()].reduce((sum, { waiting }) => sum + waiting, 0)
  }

  /** Watches a connection until it ends. Its queries and its attempt to connect fail at once while the database is lost. */
  watch(client: pg.Client): void {
    const watched: Watched = { client, waiting: 0, heardAtMs: 0 }
    this.#watched.set(client, watched)
    client.on('end', () => this.#watched.delete(client))
    // An 'error' event that nobody listens to ends the process. What fails is told by the query that fails.
    client.on('error', () => {})
    this.#watchQueries(watched)
    this.#watchConnect(client)
  }

  /** Breaks all connections; what is under way on them fails. */
  breakConnections(): void {
    this.#watched.forEach(({ client }) => client.connection.stream.destroy())
  }

  close(): void {
    clearInterval(this.#timer)
    this.breakConnections()
    this.#probe.close()
  }

  #watchQueries(watched: Watched): void {
    const { client } = watched
    const query = client.query.bind(client) as unknown as (config: unknown, values: unknown, callback: unknown) => unknown
    const watchedQuery = (config: unknown, values?: unknown, callback?: unknown): unknown => {
      // The driver's own pool asks so.
      if (typeof values === 'function' || typeof callback === 'function') return query(config, values, callback)
      if (this.#lost) return Promise.reject(new ConnectionFailure())
      if (watched.waiting++ === 0) watched.heardAtMs = this.#nowMs
      // One promise, where the driver would make two.
      return new Promise((resolve, reject) => {
        query(config, values, (error: unknown, result: unknown) => {
          watched.waiting--
          watched.heardAtMs = this.#nowMs
          if (error === null || error === undefined) resolve(result)
          else reject(ConnectionFailure.unlessAnswer(error))
        })
      })
    }
    client.query = watchedQuery as typeof client.query
  }

  #watchConnect(client: pg.Client): void {
    const connect = client.connect.bind(client) as (callback?: (error?: Error) => void) => Promise<pg.Client>
    // The driver's own time limit is over before an answer is read that came while this process was busy.
    const connectInTime = (callback?: (error?: Error) => void): Promise<pg.Client> | void => {
      const over = new AbortController()
      void ownTimePassed(CONNECT_TIMEOUT_MS, over.signal, () => true).then(
        (passed) => passed && client.connection.stream.destroy(),
      )
      if (callback === undefined) return connect().finally(() => over.abort())
      void connect((error) => {
        over.abort()
        callback(error)
      })
    }
    const watchedConnect = (callback?: (error?: Error) => void): Promise<pg.Client> | void => {
      if (!this.#lost) return connectInTime(callback)
      this.#watched.delete(client)
      if (callback === undefined) return Promise.reject(new ConnectionFailure())
      process.nextTick(callback, new ConnectionFailure())
    }
    client.connect = watchedConnect as typeof client.connect
  }

  #check(): void {
    this.#nowMs += CHECK_MS
    let silent = this.#lost
    for (const { client, waiting, heardAtMs } of this.#watched.values()) {
      if (waiting === 0) continue
      if (this.#nowMs - heardAtMs > SILENCE_MS) silent = true
      if (this.#nowMs - heardAtMs > STUCK_MS) client.connection.stream.destroy()
    }
    if (silent && !this.#probing) void this.#ask()
  }

  async #ask(): Promise<void> {
    this.#probing = true
    const answers = await this.#probe.answers()
    this.#probing = false
    if (answers !== this.#lost) return
    this.#lost = !answers
    this.#report(answers ? 'The database answers again' : 'The database does not answer')
    if (this.#lost) this.breakConnections()
  }
}
