import pg from 'pg'

/** Long enough for a busy database, short enough for a request to be refused within two seconds. */
const PROBE_TIMEOUT_MS = 900

/** A timer that is late by more than this was held up by our own process, and says nothing about the database. */
const LATE_MS = 250

/** Shutting down, crashed, or starting up: the server speaks, but serves nobody. */
const NOT_SERVING = /^57P/

/** Asks the database for a sign of life, over a connection of its own that no query holds up. */
export class Probe {
  readonly #config: pg.ClientConfig
  #client: pg.Client | undefined

  constructor(config: pg.ClientConfig) {
    this.#config = config
  }

  /** False when there was no answer in time. Any answer counts, such as that there are too many connections. */
  async answers(): Promise<boolean> {
    const startedAt = performance.now()
    const timer = setTimeout(() => this.close(), PROBE_TIMEOUT_MS)
    try {
      const client = this.#client ?? (await this.#connect())
      await client.query('select 1')
      return true
    } catch (error) {
      this.close()
      if (error instanceof pg.DatabaseError) return !NOT_SERVING.test(error.code ?? '')
      return performance.now() - startedAt > PROBE_TIMEOUT_MS + LATE_MS
    } finally {
      clearTimeout(timer)
    }
  }

  close(): void {
    this.#client?.connection.stream.destroy()
    this.#client = undefined
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(this.#config)
    this.#client = client
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined
    })
    return await client.connect()
  }
}
