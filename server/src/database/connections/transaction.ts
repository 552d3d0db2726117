import type { Kysely, PostgresPool } from 'kysely'
import pg from 'pg'
import { activeTracing } from '../../runtime/tracing/index.ts'
import type { ExclusiveConnection } from './exclusive-connections.ts'
import { kyselyClient, kyselyOn } from './kysely-on.ts'
import type { Queryable, Transaction } from './queryable.ts'
import type { Schema } from '../schema.ts'
import { send } from './send.ts'
import type { Statement } from '../statements/statement.ts'

/** Runs one statement without a transaction block, and releases the connection. */
export async function runAlone<Row>(
  { client, release, waitedMs }: ExclusiveConnection,
  statement: Statement<readonly unknown[], Row>,
  values: readonly unknown[],
): Promise<Row[]> {
  let failure: Error | undefined
  try {
    return (await send(client, statement, values, waitedMs)).rows as Row[]
  } catch (error) {
    // The connection remains usable after an error that Postgres reported.
    if (!(error instanceof pg.DatabaseError)) failure = error as Error
    throw error
  } finally {
    release(failure)
  }
}

/** Runs `work` between `begin` and `commit`, and releases the connection. If it fails, everything is rolled back. */
export function inTransaction<T>(connection: ExclusiveConnection, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const tracing = activeTracing()
  if (tracing === undefined) return committing(connection, work)
  return tracing.statement({ name: 'transaction', waitedMs: connection.waitedMs }, () => committing(connection, work))
}

async function committing<T>({ client, release }: ExclusiveConnection, work: (tx: Transaction) => Promise<T>): Promise<T> {
  let broken: Error | undefined
  try {
    const transaction = beginTransaction(client)
    const result = await work(transaction.queries)
    await transaction.commit()
    return result
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure
    })
    throw error
  } finally {
    release(broken)
  }
}

interface BegunTransaction {
  queries: Transaction
  commit(): Promise<unknown>
}

function beginTransaction(client: pg.PoolClient): BegunTransaction {
  const begun = client.query('begin')
  begun.catch(() => {})
  let committed: Promise<unknown> | undefined
  let kysely: Kysely<Schema> | undefined
  const runFirst: Queryable['run'] = async (statement, values) => (await send(client, statement, values)).rows as never
  const run: Queryable['run'] = async (statement, values) => {
    // If `begin` failed, a write would be a transaction of its own.
    await begun
    return await runFirst(statement, values)
  }
  const runLast: Queryable['run'] = async (statement, values) => {
    await begun
    const rows = runFirst(statement, values)
    // If the statement failed, `commit` rolls back.
    committed = client.query('commit')
    committed.catch(() => {})
    return await rows
  }
  const connections: PostgresPool = {
    connect: async () => {
      await begun
      return kyselyClient(client, () => {})
    },
    end: async () => {},
    options: {},
  }
  const queries = (ends: Pick<Transaction, 'runFirst' | 'runLast'>): Transaction => ({
    get kysely() {
      return (kysely ??= kyselyOn(connections))
    },
    connections,
    run,
    runOne: async (statement, values) => (await run(statement, values))[0],
    runBatched: (batched, call) => run(batched.statement, batched.valuesOf([call])),
    ...ends,
    transaction: (work) => work(queries({ runFirst: run, runLast: run })),
  })
  return { queries: queries({ runFirst, runLast }), commit: async () => await (committed ?? client.query('commit')) }
}
