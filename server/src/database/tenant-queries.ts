import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely, PostgresPool } from 'kysely'
import type { BatchedStatement } from './batched-statement.ts'
import { CallBatches, MAX_SHARED_SIZE } from './call-batches.ts'
import { isRetryable } from './errors.ts'
import type { ExclusiveConnection, ExclusiveConnections } from './exclusive-connections.ts'
import { kyselyOn } from './kysely-on.ts'
import type { PipelinedConnections } from './pipelined-connections.ts'
import type { Queryable, Transaction, TransactionOptions } from './queryable.ts'
import type { Schema } from './schema.ts'
import { kyselyClient, send } from './send.ts'
import type { Statement } from './statement.ts'
import { inTransaction, runAlone } from './transaction.ts'

const MAX_TRIES = 5
/** Before a statement is run again, at random up to this, twice as long each time: those that met are to miss each other. */
const RETRY_DELAY_MS = 5

/** The connections that all tenants share, each in its way. */
export class Lanes {
  readonly readers: PipelinedConnections
  readonly exclusive: ExclusiveConnections
  readonly #batches = new Map<unknown, CallBatches<never, never>>()

  constructor(readers: PipelinedConnections, exclusive: ExclusiveConnections) {
    this.readers = readers
    this.exclusive = exclusive
  }

  /** Runs a statement over the connections of its lane, and again after a deadlock. */
  async run<Row>(tenantId: number, statement: Statement<readonly unknown[], Row>, values: readonly unknown[]): Promise<Row[]> {
    return retried(async () => {
      if (statement.lane === 'read') return (await send(this.readers, statement, values)).rows as Row[]
      return runAlone(await this.#connect(tenantId, statement.lane), statement, values)
    })
  }

  #connect(tenantId: number, lane: 'write' | 'slow' | 'bulk'): Promise<ExclusiveConnection> {
    if (lane === 'slow') return this.exclusive.connectSlow(tenantId)
    return lane === 'bulk' ? this.exclusive.connectBulk(tenantId) : this.exclusive.connect(tenantId)
  }

  batchesOf<Call, Row extends { call: number }>(batched: BatchedStatement<Call, Row>): CallBatches<Call, Row> {
    const known = this.#batches.get(batched) as CallBatches<Call, Row> | undefined
    if (known !== undefined) return known
    const batches = new CallBatches(batched, (tenantId, statement, values) => this.run(tenantId, statement, values))
    this.#batches.set(batched, batches as never)
    return batches
  }
}

/** What runs the SQL of one tenant: connections are given to tenants in turn. Made for each request, so it must cost nothing. */
export class TenantQueries implements Queryable {
  readonly #lanes: Lanes
  readonly #tenantId: number
  #kysely: Kysely<Schema> | undefined

  constructor(lanes: Lanes, tenantId: number) {
    this.#lanes = lanes
    this.#tenantId = tenantId
  }

  /** Lists that search and count: what is built here runs in the slow lane. */
  get kysely(): Kysely<Schema> {
    return (this.#kysely ??= kyselyOn(this.#slowPool()))
  }

  run<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]> {
    return this.#lanes.run(this.#tenantId, statement, values)
  }

  async runOne<Values extends readonly unknown[], Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Promise<Row | undefined> {
    return (await this.run(statement, values))[0]
  }

  runApart<Values extends readonly unknown[], Row>(statement: Statement<Values, Row>, values: Values): Promise<Row[]> {
    return this.run(statement.lane === 'read' ? { ...statement, lane: 'slow' } : statement, values)
  }

  runBatched<Call, Row extends { call: number }>(batched: BatchedStatement<Call, Row>, call: Call): Promise<Row[]> {
    return batched.sizeOf(call) > MAX_SHARED_SIZE
      ? this.run({ ...batched.statement, lane: 'bulk' }, batched.valuesOf([call]))
      : this.#lanes.batchesOf(batched).add(this.#tenantId, call)
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, { rows = 1 }: TransactionOptions = {}): Promise<T> {
    const { exclusive } = this.#lanes
    const isBulk = rows > MAX_SHARED_SIZE
    return retried(async () =>
      inTransaction(isBulk ? await exclusive.connectBulk(this.#tenantId) : await exclusive.connect(this.#tenantId), work),
    )
  }

  #slowPool(): PostgresPool {
    return {
      connect: async () => {
        const { client, release, waitedMs } = await this.#lanes.exclusive.connectSlow(this.#tenantId)
        return kyselyClient(client, () => release(), waitedMs)
      },
      end: async () => {},
      options: {},
    }
  }
}

/** Runs `attempt`, and again while it fails for what may not happen the next time. */
export async function retried<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt()
    } catch (error) {
      if (tries === MAX_TRIES || !isRetryable(error)) throw error
      await delay(Math.random() * RETRY_DELAY_MS * 2 ** (tries - 1))
    }
  }
}
