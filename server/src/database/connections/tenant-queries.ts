import type { Kysely, PostgresPool } from 'kysely'
import type { BatchedStatement } from '../statements/batched-statement.ts'
import { CallBatches, MAX_SHARED_SIZE } from '../statements/call-batches.ts'
import { isRetryable } from '../errors.ts'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import type { ExclusiveConnection, ExclusiveConnections } from './exclusive-connections.ts'
import { kyselyClient, kyselyOn } from './kysely-on.ts'
import type { PipelinedConnections } from './pipelined-connections.ts'
import type { Preface } from './preface.ts'
import type { Queryable, Transaction, TransactionOptions } from './queryable.ts'
import type { Schema } from '../schema.ts'
import { retried } from './retried.ts'
import { send } from './send.ts'
import type { Lane, RunOptions, Statement } from '../statements/statement.ts'
import { inTransaction, runAlone } from './transaction.ts'

/** The connections that all tenants share, by lane. */
export class Lanes {
  readonly exclusive: ExclusiveConnections
  readonly #shared: Record<'read' | 'unsynced', PipelinedConnections>
  readonly #batches = new Map<unknown, CallBatches<never, never>>()

  constructor(shared: Record<'read' | 'unsynced', PipelinedConnections>, exclusive: ExclusiveConnections) {
    this.#shared = shared
    this.exclusive = exclusive
  }

  /** Runs a statement over a connection of its lane, and repeats it after a deadlock. */
  async run<Row>(
    tenantId: number,
    statement: Statement<readonly unknown[], Row>,
    values: readonly unknown[],
    lane: Lane = statement.lane,
    preface?: Preface,
  ): Promise<Row[]> {
    return retried(async () => {
      if (lane === 'read' || lane === 'unsynced') return (await send(this.#shared[lane], statement, values)).rows as Row[]
      return runAlone(await this.#connect(tenantId, lane), statement, values, preface)
    })
  }

  /** Runs a transaction over an exclusive connection, and repeats it after a deadlock. */
  transaction<T>(
    tenantId: number,
    work: (tx: Transaction) => Promise<T>,
    { rows = 1, mayRepeat = () => true }: TransactionOptions,
  ): Promise<T> {
    const lane = rows > MAX_SHARED_SIZE ? 'bulk' : 'write'
    return retried(
      async () => inTransaction(await this.#connect(tenantId, lane), work),
      (error) => mayRepeat() && isRetryable(error),
    )
  }

  #connect(tenantId: number, lane: 'write' | 'slow' | 'bulk'): Promise<ExclusiveConnection> {
    if (lane === 'slow') return this.exclusive.connectSlow(tenantId)
    return lane === 'bulk' ? this.exclusive.connectBulk(tenantId) : this.exclusive.connect(tenantId)
  }

  batchesOf<Call, Row extends { call: number }>(batched: BatchedStatement<Call, Row>): CallBatches<Call, Row> {
    const known = this.#batches.get(batched) as CallBatches<Call, Row> | undefined
    if (known !== undefined) return known
    const batches = new CallBatches(batched, this)
    this.#batches.set(batched, batches as never)
    return batches
  }
}

/** Runs the SQL of one tenant. Exclusive connections are assigned to tenants in turn. Created for each request, so it must be cheap. */
export class TenantQueries implements Queryable {
  readonly #lanes: Lanes
  readonly #tenantId: number
  #kysely: Kysely<Schema> | undefined

  constructor(lanes: Lanes, tenantId: number) {
    this.#lanes = lanes
    this.#tenantId = tenantId
  }

  /** For lists that search and count: its queries run in the slow lane. */
  get kysely(): Kysely<Schema> {
    return (this.#kysely ??= kyselyOn(this.#slowPool()))
  }

  run<Values extends readonly unknown[], Row>(
    statement: Statement<Values, Row>,
    values: Values,
    options?: RunOptions,
  ): Promise<Row[]> {
    return this.#lanes.run(this.#tenantId, statement, values, options?.lane)
  }

  async runOne<Values extends readonly unknown[], Row>(
    statement: Statement<Values, Row>,
    values: Values,
  ): Promise<Row | undefined> {
    return (await this.run(statement, values))[0]
  }

  runBatched<Call, Row extends { call: number }>(
    batched: BatchedStatement<Call, Row>,
    call: Call,
    keyed?: KeyedCall,
    preface?: Preface,
  ): Promise<Row[]> {
    return batched.sizeOf(call) > MAX_SHARED_SIZE
      ? this.#lanes.run(this.#tenantId, batched.statement, batched.valuesOf([call]), 'bulk', preface)
      : this.#lanes.batchesOf(batched).add(this.#tenantId, call, keyed, preface)
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#lanes.transaction(this.#tenantId, work, options)
  }

  #slowPool(): PostgresPool {
    return {
      connect: async () => {
        const { client, release } = await this.#lanes.exclusive.connectSlow(this.#tenantId)
        return kyselyClient(client, () => release())
      },
      end: async () => {},
      options: {},
    }
  }
}
