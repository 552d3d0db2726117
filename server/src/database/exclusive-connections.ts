import type pg from 'pg'
import { ConnectionFailure } from './errors.ts'
import { Turns } from './turns.ts'

/** A connection that nobody else uses until it is released. */
export interface ExclusiveConnection {
  readonly client: pg.PoolClient
  /** With a failure the connection is closed. */
  release(failure?: Error): void
}

/** Kept for maintenance, so that it goes on whatever tenants do. */
const RESERVED = 2
/** Statements that take long, at a time: more would only take the processor from the short ones. */
const SLOW_PLACES = 6
const SLOW_PER_TENANT = 2

/** Connections of which each request has one to itself while it waits for locks or the disk, given to tenants in turn. */
export class ExclusiveConnections {
  readonly #pool: pg.Pool
  readonly #turns: Turns
  readonly #slow = new Turns({ places: SLOW_PLACES, perTenant: SLOW_PER_TENANT })

  constructor(pool: pg.Pool, places: number) {
    this.#pool = pool
    this.#turns = new Turns({ places, reserved: places > RESERVED * 4 ? RESERVED : 0 })
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.#turns.waiting + this.#slow.waiting
  }

  /** For a write or a transaction. */
  async connect(tenantId: number): Promise<ExclusiveConnection> {
    const turn = this.#turns.take(tenantId)
    if (turn !== undefined) await turn
    try {
      const client = await this.#pool.connect()
      return {
        client,
        release: (failure) => {
          client.release(failure)
          this.#turns.giveBack(tenantId)
        },
      }
    } catch (error) {
      this.#turns.giveBack(tenantId)
      throw new ConnectionFailure(error)
    }
  }

  /** For a read that may take long. */
  async connectSlow(tenantId: number): Promise<ExclusiveConnection> {
    const turn = this.#slow.take(tenantId)
    if (turn !== undefined) await turn
    try {
      const { client, release } = await this.connect(tenantId)
      return {
        client,
        release: (failure) => {
          release(failure)
          this.#slow.giveBack(tenantId)
        },
      }
    } catch (error) {
      this.#slow.giveBack(tenantId)
      throw error
    }
  }

  /** Refuses those that wait; the pool is ended by whoever made it. */
  close(): void {
    this.#slow.close()
    this.#turns.close()
  }
}
