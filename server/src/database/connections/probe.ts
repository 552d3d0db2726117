import pg from 'pg'
import { ownTimePassed } from './own-time.ts'

/** Long enough for a busy database, short enough for a request to be refused within two seconds. */
const PROBE_TIMEOUT_MS = 900

/** SQLSTATEs of a server that is shutting down, crashed or starting up, and executes no queries. */
const NOT_SERVING = /^57P/

/** Checks that the database responds, over a dedicated connection. */
export class Probe {
  readonly #config: pg.ClientConfig
  #client: pg.Client | undefined
  #isConnected = false

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  /**
   * False without a response in time. Only time in which this process could have read a response counts. Any response counts, including the
   * error of too many connections.
   */
  async responds(): Promise<boolean> {
    const done = new AbortController()
    void ownTimePassed(PROBE_TIMEOUT_MS, done.signal, () => !this.#isConnected).then((passed) => passed && this.close())
    try {
      const client = this.#client ?? (await this.#connect())
      await client.query('select 1')
      return true
    } catch (error) {
      this.close()
      return error instanceof pg.DatabaseError && !NOT_SERVING.test(error.code ?? '')
    } finally {
      done.abort()
    }
  }

  close(): void {
    this.#client?.connection.stream.destroy()
    this.#client = undefined
    this.#isConnected = false
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    this.#client = client
    client.on('error', () => {
      if (this.#client === client) this.close()
    })
    await client.connect()
    this.#isConnected = true
    return client
  }
}
