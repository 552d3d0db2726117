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
import type { ConnectionKind, RunOptions, Statement } from '../statements/statement.ts'
import { inTransaction, runAlone } from './transaction.ts'

/** The connections that all tenants share, by kind. */
export class ConnectionSet {
  readonly exclusive: ExclusiveConnections
  readonly #shared: Record<'read' | 'unsynced', PipelinedConnections>
  readonly #batches = new Map<unknown, CallBatches<never, never>>()

  constructor(shared: Record<'read' | 'unsynced', PipelinedConnections>, exclusive: ExclusiveConnections) {
    this.#shared = shared
    this.exclusive = exclusive
  }

  /** Runs a statement over a connection of its kind, and repeats it after a deadlock, with the values of that moment. */
  async run<Row>(
    tenantId: number,
    statement: Statement<readonly unknown[], Row>,
    values: () => readonly unknown[],
    options?: { connection?: ConnectionKind; preface?: Preface },
  ): Promise<Row[]> {
    const kind = options?.connection ?? statement.connection
    return retried(async () => {
      const made = values()
      if (kind === 'read' || kind === 'unsynced') return (await send(this.#shared[kind], statement, made)).rows as Row[]
      return runAlone(await this.#connect(tenantId, kind), statement, made, options?.preface)
    })
  }

  /** Runs a transaction over an exclusive connection, and repeats it after a deadlock. */
  transaction<T>(
    tenantId: number,
    work: (tx: Transaction) => Promise<T>,
    { rows = 1, mayRepeat = () => true }: TransactionOptions,
  ): Promise<T> {
    const kind = rows > MAX_SHARED_SIZE ? 'bulk' : 'write'
    return retried(
      async () => inTransaction(await this.#connect(tenantId, kind), work),
      (error) => mayRepeat() && isRetryable(error),
    )
  }

  #connect(tenantId: number, kind: 'write' | 'slow' | 'bulk'): Promise<ExclusiveConnection> {
    if (kind === 'slow') return this.exclusive.connectSlow(tenantId)
    return kind === 'bulk' ? this.exclusive.connectBulk(tenantId) : this.exclusive.connect(tenantId)
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
  readonly #connections: ConnectionSet
  readonly #tenantId: number
  #kysely: Kysely<Schema> | undefined

  constructor(connections: ConnectionSet, tenantId: number) {
    this.#connections = connections
    this.#tenantId = tenantId
  }

  /** For rare queries; they run on a `slow` connection. */
  get kysely(): Kysely<Schema> {
    return (this.#kysely ??= kyselyOn(this.#slowPool()))
  }

  run<Values extends readonly unknown[], Row>(
    statement: Statement<Values, Row>,
    values: Values,
    options?: RunOptions,
  ): Promise<Row[]> {
    return this.#connections.run(this.#tenantId, statement, () => values, options)
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
    const rows = batched.sizeOf(call)
    if (rows <= MAX_SHARED_SIZE) return this.#connections.batchesOf(batched).add(this.#tenantId, call, keyed, preface)
    if (batched.secondRun !== undefined) return this.#runLarge(batched, call, rows, preface)
    return this.#connections.run(this.#tenantId, batched.statement, () => batched.valuesOf([call]), {
      connection: 'bulk',
      preface,
    })
  }

  /** A large call that may need a second run. */
  async #runLarge<Call, Row extends { call: number }>(
    batched: BatchedStatement<Call, Row>,
    call: Call,
    rows: number,
    preface: Preface | undefined,
  ): Promise<Row[]> {
    await preface?.run()
    return await this.transaction((tx) => tx.runBatched(batched, call), { rows })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.#connections.transaction(this.#tenantId, work, options)
  }

  #slowPool(): PostgresPool {
    return {
      connect: async () => {
        const { client, release } = await this.#connections.exclusive.connectSlow(this.#tenantId)
        return kyselyClient(client, () => release())
      },
      end: async () => {},
      options: {},
    }
  }
}
