import type { Kysely } from 'kysely'
import pg from 'pg'
import { activeTracing } from '../tracing/index.ts'
import type { ExclusiveConnection } from './exclusive-connections.ts'
import { kyselyOn } from './kysely-on.ts'
import type { Queryable, Transaction } from './queryable.ts'
import type { Schema } from './schema.ts'
import { kyselyClient, send } from './send.ts'
import type { Statement } from './statement.ts'

/** Runs one statement without a transaction block around it, over a connection of its own, and releases that. */
export async function runAlone<Row>(
  { client, release, waitedMs }: ExclusiveConnection,
  statement: Statement<readonly unknown[], Row>,
  values: readonly unknown[],
): Promise<Row[]> {
  let failure: Error | undefined
  try {
    return (await send(client, statement, values, waitedMs)).rows as Row[]
  } catch (error) {
    // A statement that Postgres refused leaves the connection as it was.
    if (!(error instanceof pg.DatabaseError)) failure = error as Error
    throw error
  } finally {
    release(failure)
  }
}

/** Runs `work` between begin and commit, and releases the connection; when it fails, nothing of it is kept. */
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
    // If it had not begun after all, a write would be a transaction of its own.
    await begun
    return await runFirst(statement, values)
  }
  const runLast: Queryable['run'] = async (statement, values) => {
    await begun
    const answer = runFirst(statement, values)
    // After a statement that failed it does what a rollback does.
    committed = client.query('commit')
    committed.catch(() => {})
    return await answer
  }
  const connect = async () => {
    await begun
    return kyselyClient(client, () => {})
  }
  const queries = (ends: Pick<Transaction, 'runFirst' | 'runLast'>): Transaction => ({
    get kysely() {
      return (kysely ??= kyselyOn({ connect, end: async () => {}, options: {} }))
    },
    run,
    runOne: async (statement, values) => (await run(statement, values))[0],
    runApart: run,
    runBatched: (batched, call) => run(batched.statement, batched.valuesOf([call])),
    ...ends,
    transaction: (work) => work(queries({ runFirst: run, runLast: run })),
  })
  return { queries: queries({ runFirst, runLast }), commit: async () => await (committed ?? client.query('commit')) }
}
