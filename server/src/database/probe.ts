import pg from 'pg'
import { ownTimePassed } from './own-time.ts'

/** Long enough for a busy database, short enough for a request to be refused within two seconds. */
const PROBE_TIMEOUT_MS = 900

/** Shutting down, crashed, or starting up: the server speaks, but serves nobody. */
const NOT_SERVING = /^57P/

/** Asks the database for a sign of life, over a connection of its own that no query holds up. */
export class Probe {
  readonly #config: pg.ClientConfig
  #client: pg.Client | undefined
  #isConnected = false

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  /**
   * False when there was no answer in time; only time counts in which this process could have heard it. Any answer counts, such as that
   * there are too many connections.
   */
  async answers(): Promise<boolean> {
    const answered = new AbortController()
    void ownTimePassed(PROBE_TIMEOUT_MS, answered.signal, () => !this.#isConnected).then((passed) => passed && this.close())
    try {
      const client = this.#client ?? (await this.#connect())
      await client.query('select 1')
      return true
    } catch (error) {
      this.close()
      return error instanceof pg.DatabaseError && !NOT_SERVING.test(error.code ?? '')
    } finally {
      answered.abort()
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
