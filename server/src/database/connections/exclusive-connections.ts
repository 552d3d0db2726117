import type pg from 'pg'
import { activeTenants } from '../../runtime/event-loop/active-tenants.ts'
import { activeTracing } from '../../runtime/tracing/index.ts'
import { DatabaseConnectionError } from '../errors.ts'
import { FairSlots } from './fair-slots.ts'

/** A connection for exclusive use until it is released. */
export interface ExclusiveConnection {
  readonly client: pg.PoolClient
  /** Time waited for it; undefined while tracing is off. */
  readonly waitedMs: number | undefined
  /** Closes the connection after a failure. */
  release(failure?: Error): void
}

/** Reserved for maintenance, so that tenants cannot block it. */
const RESERVED = 2
/** Limit of slow reads, and of bulk writes, at the same time. More would only take processor time from short statements. */
const MAX_LONG = 6
const LONG = {
  perTenant: 2,
  reserved: 1,
  // While other tenants are active, usually one at a time. A very long one does not block the tenant's next.
  nextAfterMs: () => (activeTenants.areSeveral ? 250 : 0),
}

/** An open connection has prepared statements. A new connection costs as much as dozens of statements. */
const CLOSE_UNUSED_MS = 60_000

/** Connections for requests that wait for locks or the disk, assigned to tenants in turn. */
export class ExclusiveConnections {
  readonly #pool: pg.Pool
  readonly #slots: FairSlots
  readonly #slow: FairSlots
  readonly #bulk: FairSlots
  /** The last one used is used next. They are not returned to the pool, whose work per release takes a tenth of a small write. */
  readonly #idle: pg.PoolClient[] = []
  /** Who used one when it broke may not know: its query failed like one that Postgres refuses. */
  readonly #broken = new WeakSet<pg.PoolClient>()
  /** The minimum number of idle connections since unused ones were last closed. */
  #unused = 0
  readonly #timer: NodeJS.Timeout
  #isClosed = false

  constructor(pool: pg.Pool, slots: number) {
    this.#pool = pool
    this.#slots = new FairSlots({ slots, reserved: slots >= RESERVED * 4 ? RESERVED : 0 })
    // Of each kind about a quarter, so that about half of the connections remain for short statements. Fewer than eight are for a tool or a test.
    const long = slots < RESERVED * 4 ? MAX_LONG : Math.min(MAX_LONG, Math.max(3, Math.floor((slots * 3) / 11)))
    const options = { ...LONG, slots: long }
    this.#slow = new FairSlots(options)
    this.#bulk = new FairSlots(options)
    this.#timer = setInterval(() => this.#closeUnused(), CLOSE_UNUSED_MS).unref()
  }

  /** Requests that wait for a connection. */
  get waiting(): number {
    return this.#slots.waiting + this.#slow.waiting + this.#bulk.waiting
  }

  /** Open connections that are not in use. */
  get idle(): number {
    return this.#idle.length
  }

  /** For a write or a transaction. */
  async connect(tenantId: number): Promise<ExclusiveConnection> {
    const waitedMs = startWait()
    const granted = this.#slots.take(tenantId)
    if (granted !== undefined) await granted
    const client = this.#idle.pop() ?? (await this.#open(tenantId))
    this.#unused = Math.min(this.#unused, this.#idle.length)
    return {
      client,
      waitedMs: waitedMs?.(),
      release: (failure) => {
        if (failure === undefined && !this.#isClosed && !this.#broken.has(client)) this.#idle.push(client)
        else client.release(failure ?? this.#broken.has(client))
        this.#slots.giveBack(tenantId)
      },
    }
  }

  /** For a slow read. */
  connectSlow(tenantId: number): Promise<ExclusiveConnection> {
    return this.#connectWithSlot(this.#slow, tenantId)
  }

  /** For a write of many rows. It has its own limit, because it may wait for locks, which must not delay slow reads. */
  connectBulk(tenantId: number): Promise<ExclusiveConnection> {
    return this.#connectWithSlot(this.#bulk, tenantId)
  }

  async #connectWithSlot(slots: FairSlots, tenantId: number): Promise<ExclusiveConnection> {
    const waitedMs = startWait()
    const granted = slots.take(tenantId)
    if (granted !== undefined) await granted
    try {
      const { client, release } = await this.connect(tenantId)
      return {
        client,
        waitedMs: waitedMs?.(),
        release: (failure) => {
          release(failure)
          slots.giveBack(tenantId)
        },
      }
    } catch (error) {
      slots.giveBack(tenantId)
      throw error
    }
  }

  /** Rejects waiting requests and returns the connections to the pool. The creator of the pool ends it. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#slow.close()
    this.#bulk.close()
    this.#slots.close()
    for (const client of this.#idle.splice(0)) client.release()
  }

  async #open(tenantId: number): Promise<pg.PoolClient> {
    try {
      const client = await this.#pool.connect()
      // Comes before the failures of its queries.
      client.once('error', () => {
        this.#broken.add(client)
        this.#giveUpIdle(client)
      })
      client.once('end', () => this.#giveUpIdle(client))
      return client
    } catch (error) {
      this.#slots.giveBack(tenantId)
      throw new DatabaseConnectionError(error)
    }
  }

  #giveUpIdle(client: pg.PoolClient): void {
    const position = this.#idle.indexOf(client)
    if (position === -1) return
    this.#idle.splice(position, 1)
    client.release(true)
  }

  #closeUnused(): void {
    for (const client of this.#idle.splice(0, this.#unused)) client.release(true)
    this.#unused = this.#idle.length
  }
}

/** Undefined while tracing is off. */
function startWait(): (() => number) | undefined {
  if (activeTracing() === undefined) return undefined
  const startedAtMs = performance.now()
  return () => performance.now() - startedAtMs
}
