import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { newTenant, send, type RequestOptions, type ServiceResponse, type TestTenant } from '../../support/service.ts'
import { newProduct } from '../../support/stock.ts'
import type { PostgresServer } from './postgres-servers.ts'

export type ServerNumber = 0 | 1 | 2

interface ReplicatedOptions {
  primary: PostgresServer
  standby: PostgresServer
  db: Database
  startServer(env: Record<string, string>): Promise<ServerProcess>
}

/** Starts two servers that read from the standby, and one that does not. */
export async function startReplicated({ primary, standby, db, startServer }: ReplicatedOptions): Promise<Replicated> {
  const settings = { ROLE: 'api', DATABASE_URL: primary.url }
  const startReading = (): Promise<ServerProcess> => startServer({ ...settings, DATABASE_REPLICA_URL: standby.url })
  const servers = await Promise.all([startReading(), startReading(), startServer(settings)])
  const tenant = await newTenant(servers[0].url, db)
  const { id, barcode } = await newProduct(tenant, { sku: 'SKU' })
  return new Replicated({ servers, standby, db, startReading, tenant, reader: await tenant.createKey(), productId: id, barcode })
}

/** Servers on a database with a replica, and the changes of a tenant's stock that tests look for. */
export class Replicated {
  readonly #servers: ServerProcess[]
  readonly #standby: PostgresServer
  readonly #db: Database
  readonly #startReading: () => Promise<ServerProcess>
  readonly #tenant: TestTenant
  readonly productId: number
  readonly barcode: string
  /** The key that makes changes. */
  readonly writer: string
  /** A key of the same tenant that makes none. */
  readonly reader: string
  /** Number of changes so far. */
  marks = 0

  constructor(options: {
    servers: ServerProcess[]
    standby: PostgresServer
    db: Database
    startReading: () => Promise<ServerProcess>
    tenant: TestTenant
    reader: string
    productId: number
    barcode: string
  }) {
    this.#servers = options.servers
    this.#standby = options.standby
    this.#db = options.db
    this.#startReading = options.startReading
    this.#tenant = options.tenant
    this.writer = options.tenant.key
    this.reader = options.reader
    this.productId = options.productId
    this.barcode = options.barcode
  }

  urlOf(server: ServerNumber): string {
    return this.#servers[server]?.url ?? ''
  }

  newKey(): Promise<string> {
    return this.#tenant.createKey()
  }

  /** Kills the first server. */
  async kill(): Promise<void> {
    await this.#servers[0]?.end('SIGKILL')
  }

  /** Replaces the first server after `kill`. */
  async replaceKilled(): Promise<void> {
    this.#servers[0] = await this.#startReading()
  }

  request(
    server: ServerNumber,
    key: string,
    method: string,
    path: string,
    body?: unknown,
    headers: RequestOptions['headers'] = {},
  ): Promise<ServiceResponse> {
    return send(`${this.urlOf(server)}/api/v1${path}`, method, body, { key, headers })
  }

  /** Changes the stock. Returns the reason, which identifies the change. */
  async adjust(server: ServerNumber, headers: RequestOptions['headers'] = {}, key = this.writer): Promise<string> {
    const reason = `mark-${++this.marks}`
    const body = { product_id: this.productId, location_id: 'A', adjustment_quantity: 1, reason }
    expect((await this.request(server, key, 'POST', '/stock/adjustment', body, headers)).status).toBe(200)
    return reason
  }

  /** Whether the primary has the change. */
  async isCommitted(reason: string): Promise<boolean> {
    const { rowCount } = await this.#db.dedicatedPool.query('select from stock_movements where reason = $1', [reason])
    return rowCount === 1
  }

  /** Whether the list of movements begins with the one that has this reason. */
  async sees(server: ServerNumber, key: string, reason: string): Promise<boolean> {
    const { status, body } = await this.request(server, key, 'GET', '/stock/movements')
    expect([status, body]).toEqual([200, expect.anything()])
    return body.data.movements[0]?.reason === reason
  }

  /** `sees`, through both servers that read from the replica. */
  bothSee(key: string, reason: string): Promise<boolean[]> {
    return Promise.all([this.sees(0, key, reason), this.sees(1, key, reason)])
  }

  async metric(server: ServerNumber, series: string): Promise<number> {
    const text = await (await fetch(`${this.urlOf(server)}/metrics`)).text()
    const line = text.split('\n').find((candidate) => candidate.startsWith(`fulfillment_${series} `))
    return Number(line?.split(' ').at(-1))
  }

  /** Runs `work` while replay is paused on the replica, from a time when both servers read from it. */
  async whilePaused(work: () => Promise<void>): Promise<void> {
    await this.#pause()
    try {
      await work()
    } finally {
      await this.resume()
    }
  }

  async expectReplicaIsRead(): Promise<void> {
    await this.whilePaused(async () => {})
  }

  async resume(): Promise<void> {
    await this.#standby.query('select pg_wal_replay_resume()')
  }

  async #pause(): Promise<void> {
    for (const until = Date.now() + 60_000; ; await delay(100)) {
      await this.#standby.query('select pg_wal_replay_pause()')
      const reason = await this.adjust(0)
      const seen = await this.bothSee(this.reader, reason)
      if (!seen[0] && !seen[1]) return
      await this.resume()
      if (Date.now() > until) throw new Error('the replica is not read')
    }
  }
}
