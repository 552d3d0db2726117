import type pg from 'pg'
import { DatabaseConnectionError } from '../errors.ts'
import type { Client } from './client.ts'

/** A client that knows its number of queries without a response. */
type Connection = pg.Client & Pick<Client, 'waiting'>

/**
 * Connections shared by all requests. Queries are sent without waiting for earlier responses, which doubles the throughput of a connection.
 * Each query is a transaction. Only for short statements that do not wait for locks, because a statement delays those behind it.
 */
export class PipelinedConnections {
  readonly #create: () => Connection
  readonly #clients: (Connection | undefined)[]
  #ended = false

  /** `create` returns a client with `pipeline: true` that is not connected yet. */
  constructor(create: () => Connection, size: number) {
    this.#create = create
    this.#clients = Array.from({ length: size }, () => undefined)
  }

  query<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.#ended) return Promise.reject(new DatabaseConnectionError())
    const slot = this.#quietest()
    return (this.#clients[slot] ?? this.#open(slot)).query<Row>(query)
  }

  /** Waits for queries in progress. */
  async end(): Promise<void> {
    this.#ended = true
    const open = this.#clients.filter((client) => client !== undefined)
    this.#clients.fill(undefined)
    await Promise.all(open.map((client) => client.end()))
  }

  /**
   * The first connection with the fewest queries without a response. So a caller alone has the same one each time, whose process of Postgres
   * is still in the caches of the processor: in turns, a read takes Postgres a sixth more.
   */
  #quietest(): number {
    const waiting = this.#clients.map((client) => client?.waiting ?? 0)
    return waiting.indexOf(Math.min(...waiting))
  }

  #open(slot: number): Connection {
    const client = this.#create()
    this.#clients[slot] = client
    const forget = (): void => {
      if (this.#clients[slot] === client) this.#clients[slot] = undefined
    }
    client.on('error', forget)
    client.on('end', forget)
    client.connect().catch(() => {
      forget()
      // The queries that wait for the connection fail once it is closed. A server that hangs does not close it.
      client.connection.stream.destroy()
    })
    return client
  }
}
