import type pg from 'pg'
import { activeTracing } from '../tracing/index.ts'
import { ConnectionFailure } from './errors.ts'
import { Turns } from './turns.ts'

/** A connection that nobody else uses until it is released. */
export interface ExclusiveConnection {
  readonly client: pg.PoolClient
  /** How long it was waited for; undefined while nobody traces. */
  readonly waitedMs: number | undefined
  /** With a failure the connection is closed. */
  release(failure?: Error): void
}

/** Kept for maintenance, so that it goes on whatever tenants do. */
const RESERVED = 2
/** Of long reads, and of long writes, at a time: more would only take the processor from the short ones. */
const LONG = { places: 6, perTenant: 2, reserved: 1 }

/** A connection has its statements prepared: one that is made anew costs as much as dozens of them. */
const CLOSE_UNUSED_MS = 60_000

/** Connections of which each request has one to itself while it waits for locks or the disk, given to tenants in turn. */
export class ExclusiveConnections {
  readonly #pool: pg.Pool
  readonly #turns: Turns
  readonly #slow = new Turns(LONG)
  readonly #bulk = new Turns(LONG)
  /** The last one that was used is used next. They are not given back to the pool: what it does for each takes a tenth of a small write. */
  readonly #idle: pg.PoolClient[] = []
  /** The fewest that were idle since unused ones were last closed. */
  #unused = 0
  readonly #timer: NodeJS.Timeout
  #isClosed = false

  constructor(pool: pg.Pool, places: number) {
    this.#pool = pool
    this.#turns = new Turns({ places, reserved: places > RESERVED * 4 ? RESERVED : 0 })
    this.#timer = setInterval(() => this.#closeUnused(), CLOSE_UNUSED_MS).unref()
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.#turns.waiting + this.#slow.waiting + this.#bulk.waiting
  }

  /** Open connections that nobody uses. */
  get idle(): number {
    return this.#idle.length
  }

  /** For a write or a transaction. */
  async connect(tenantId: number): Promise<ExclusiveConnection> {
    const waitedMs = startWait()
    const turn = this.#turns.take(tenantId)
    if (turn !== undefined) await turn
    const client = this.#idle.pop() ?? (await this.#open(tenantId))
    this.#unused = Math.min(this.#unused, this.#idle.length)
    return {
      client,
      waitedMs: waitedMs?.(),
      release: (failure) => {
        if (failure === undefined && !this.#isClosed) this.#idle.push(client)
        else client.release(failure)
        this.#turns.giveBack(tenantId)
      },
    }
  }

  /** For a read that may take long. */
  connectSlow(tenantId: number): Promise<ExclusiveConnection> {
    return this.#connectInTurn(this.#slow, tenantId)
  }

  /** For a write of many rows. It may wait for locks, which long reads need not be held up by. */
  connectBulk(tenantId: number): Promise<ExclusiveConnection> {
    return this.#connectInTurn(this.#bulk, tenantId)
  }

  async #connectInTurn(turns: Turns, tenantId: number): Promise<ExclusiveConnection> {
    const waitedMs = startWait()
    const turn = turns.take(tenantId)
    if (turn !== undefined) await turn
    try {
      const { client, release } = await this.connect(tenantId)
      return {
        client,
        waitedMs: waitedMs?.(),
        release: (failure) => {
          release(failure)
          turns.giveBack(tenantId)
        },
      }
    } catch (error) {
      turns.giveBack(tenantId)
      throw error
    }
  }

  /** Refuses those that wait, and gives the connections back to the pool, which is ended by whoever made it. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#slow.close()
    this.#bulk.close()
    this.#turns.close()
    for (const client of this.#idle.splice(0)) client.release()
  }

  async #open(tenantId: number): Promise<pg.PoolClient> {
    try {
      const client = await this.#pool.connect()
      client.once('end', () => {
        const place = this.#idle.indexOf(client)
        if (place === -1) return
        this.#idle.splice(place, 1)
        client.release(true)
      })
      return client
    } catch (error) {
      this.#turns.giveBack(tenantId)
      throw new ConnectionFailure(error)
    }
  }

  #closeUnused(): void {
    for (const client of this.#idle.splice(0, this.#unused)) client.release(true)
    this.#unused = this.#idle.length
  }
}

/** Undefined while nobody traces. */
function startWait(): (() => number) | undefined {
  if (activeTracing() === undefined) return undefined
  const startedAtMs = performance.now()
  return () => performance.now() - startedAtMs
}
