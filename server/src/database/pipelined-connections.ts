import pg from 'pg'

/**
 * Connections that all requests share. Queries are sent without waiting for the answers of those before them, which doubles what
 * one connection does; each is a transaction of its own. For short single statements only: a slow one holds up those behind it.
 */
export class PipelinedConnections {
  readonly #config: pg.ClientConfig
  readonly #clients: (pg.Client | undefined)[]
  #next = 0

  constructor(config: pg.ClientConfig, size: number) {
    this.#config = { ...config, pipeline: true }
    this.#clients = Array.from({ length: size }, () => undefined)
  }

  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const slot = this.#next
    this.#next = (slot + 1) % this.#clients.length
    return (this.#clients[slot] ?? this.#open(slot)).query<Row>(query)
  }

  async end(): Promise<void> {
    const open = this.#clients.filter((client) => client !== undefined)
    this.#clients.fill(undefined)
    await Promise.all(open.map((client) => client.end()))
  }

  #open(slot: number): pg.Client {
    const client = new pg.Client(this.#config)
    this.#clients[slot] = client
    const forget = (): void => {
      if (this.#clients[slot] === client) this.#clients[slot] = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    // The queries that wait on this client are rejected with the same error, so it is reported there.
    client.connect().catch(forget)
    return client
  }
}
