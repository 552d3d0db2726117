import pg from 'pg'
import { DatabaseConnectionError } from '../errors.ts'
import type { Availability, WatchedConnection } from './availability.ts'
import { ownTimePassed } from './own-time.ts'

const CONNECT_TIMEOUT_MS = 1_500

/** Options of a `Client` besides the driver's. A pool passes them on. */
export interface ClientConfig extends pg.ClientConfig {
  /** Knows whether the database responds. */
  availability: Availability
  /**
   * Buffers queries until all events of the current turn are handled, so that many queries are sent in one write, and Postgres responds to
   * them together. A third more small reads per second.
   */
  sendsTogether?: boolean
}

type ConnectCallback = ((error: Error) => void) | ((error: null, client: pg.Client) => void)
type Callback = (error: Error | null | undefined, result?: unknown) => void

/** A connection of the service. Connecting and queries fail immediately while the database does not respond. */
export class Client extends pg.Client implements WatchedConnection {
  readonly #availability: Availability
  readonly #sendsTogether: boolean
  #isHolding = false
  #waiting = 0
  #heardAtMs = 0

  constructor(config: ClientConfig) {
    super(config)
    this.#availability = config.availability
    this.#sendsTogether = config.sendsTogether === true
    // An unhandled 'error' event would end the process. The failing query reports the error.
    this.on('error', () => {})
    this.on('end', () => this.#availability.forget(this))
    this.#availability.watch(this)
  }

  /** Number of queries without a response. */
  get waiting(): number {
    return this.#waiting
  }

  /** The time of its latest response, or of the first query that waits for one, by the clock of `Availability`. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  /** Overrides the driver's method. Returns `never` because each of its overloads has a different result. */
  override query(config: unknown, values?: unknown, callback?: unknown): never {
    if (this.#sendsTogether && !this.#isHolding) this.#hold()
    // The driver's pool passes a callback.
    if (typeof values === 'function' || typeof callback === 'function') return this.#send(config, values, callback)
    return this.#ask(config, values) as never
  }

  /**
   * Overrides the driver's method to apply a time limit of its own. The driver's limit would expire while the process is busy, before it
   * reads the response.
   */
  override connect(callback?: ConnectCallback): never {
    if (this.#availability.isLost) return this.#refuse(callback) as never
    const over = new AbortController()
    void ownTimePassed(CONNECT_TIMEOUT_MS, over.signal, () => true).then((passed) => passed && this.connection.stream.destroy())
    if (callback === undefined) return super.connect().finally(() => over.abort()) as never
    const connected = (error: Error): void => {
      over.abort()
      ;(callback as (error: Error) => void)(error)
    }
    return super.connect(connected) as never
  }

  #ask(config: unknown, values: unknown): Promise<unknown> {
    if (this.#availability.isLost) return Promise.reject(new DatabaseConnectionError())
    if (this.#waiting++ === 0) this.#heardAtMs = this.#availability.nowMs
    // One promise instead of the driver's two.
    return new Promise((resolve, reject) => {
      const settle: Callback = (error, result) => {
        this.#waiting--
        this.#heardAtMs = this.#availability.nowMs
        if (error === null || error === undefined) resolve(result)
        else reject(DatabaseConnectionError.wrap(error))
      }
      this.#send(config, values, settle)
    })
  }

  #send(config: unknown, values: unknown, callback: unknown): never {
    return super.query(config as never, values as never, callback as never) as never
  }

  #hold(): void {
    this.#isHolding = true
    const { stream } = this.connection
    stream.cork()
    setImmediate(() => {
      this.#isHolding = false
      stream.uncork()
    })
  }

  #refuse(callback: ConnectCallback | undefined): Promise<never> | undefined {
    this.#availability.forget(this)
    if (callback === undefined) return Promise.reject(new DatabaseConnectionError())
    process.nextTick(callback, new DatabaseConnectionError())
    return undefined
  }
}
