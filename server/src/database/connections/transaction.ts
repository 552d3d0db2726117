import type { Kysely, PostgresPool } from 'kysely'
import pg from 'pg'
import { activeTracing } from '../../runtime/tracing/index.ts'
import type { ExclusiveConnection } from './exclusive-connections.ts'
import { kyselyClient, kyselyOn } from './kysely-on.ts'
import { BEGIN, type ChainedQuery, queryOfStep, sendChain } from './chain.ts'
import { type Preface, PrefaceError, runPreface, sendPrefaced } from './preface.ts'
import type { Queryable, Transaction } from './queryable.ts'
import type { Schema } from '../schema.ts'
import { send } from './send.ts'
import { runInTransaction } from '../statements/run-again.ts'
import type { Statement } from '../statements/statement.ts'

/** Runs one statement without a transaction block, behind its preface if it has one, and releases the connection. */
export async function runAlone<Row>(
  { client, release, waitedMs }: ExclusiveConnection,
  statement: Statement<readonly unknown[], Row>,
  values: readonly unknown[],
  preface?: Preface,
): Promise<Row[]> {
  let failure: Error | undefined
  try {
    if (preface?.isCommitted === false) {
      const rows = sendPrefaced(client, preface, [{ query: queryOfStep({ statement, values }) }])
      if (rows !== undefined) return (await rows) as Row[]
      await runPreface(client, preface)
    }
    return (await send(client, statement, values, waitedMs)).rows as Row[]
  } catch (error) {
    // The connection remains usable after an error that Postgres reported.
    if (!(error instanceof pg.DatabaseError || error instanceof PrefaceError)) failure = error as Error
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

/** `begin` is sent with the first statement. */
function beginTransaction(client: pg.PoolClient): BegunTransaction {
  let begun: Promise<unknown> | undefined
  let committed: Promise<unknown> | undefined
  let kysely: Kysely<Schema> | undefined
  const begin = (): Promise<unknown> => {
    if (begun === undefined) {
      begun = client.query(BEGIN)
      begun.catch(() => {})
    }
    return begun
  }
  const ask: Queryable['run'] = async (statement, values) => (await send(client, statement, values)).rows as never
  const runFirst: Queryable['run'] = (statement, values) => {
    void begin()
    return ask(statement, values)
  }
  const run: Queryable['run'] = async (statement, values) => {
    // If `begin` failed, a write would be a transaction of its own.
    await begin()
    return await ask(statement, values)
  }
  const runOne: Queryable['runOne'] = async (statement, values) => (await run(statement, values))[0]
  const runGuarded: Transaction['runGuarded'] = async (guard, change, preface) => {
    const isPrefaced = preface?.isCommitted === false
    const opening: ChainedQuery[] = [{ query: BEGIN }, { query: queryOfStep(guard) }, { query: queryOfStep(change) }]
    const opened =
      begun === undefined ? (isPrefaced ? sendPrefaced(client, preface, opening) : sendChain(client, opening)) : undefined
    if (opened === undefined) {
      if (isPrefaced) await runPreface(client, preface)
      await runFirst(guard.statement, guard.values)
      return (await run(change.statement, change.values)) as never
    }
    begun = opened
    return (await opened) as never
  }
  const runLast: Queryable['run'] = async (statement, values) => {
    await begin()
    const rows = ask(statement, values)
    // If the statement failed, `commit` rolls back.
    committed = client.query('commit')
    committed.catch(() => {})
    return await rows
  }
  const connections: PostgresPool = {
    connect: async () => {
      await begin()
      return kyselyClient(client, () => {})
    },
    end: async () => {},
    options: {},
  }
  const queries = (ends: Pick<Transaction, 'runFirst' | 'runGuarded' | 'runLast'>): Transaction => ({
    get kysely() {
      return (kysely ??= kyselyOn(connections))
    },
    connections,
    run,
    runOne,
    runBatched: (batched, call) => runInTransaction({ run, runOne }, batched, call),
    ...ends,
    transaction: (work) => work(queries({ runFirst: run, runGuarded, runLast: run })),
  })
  return {
    queries: queries({ runFirst, runGuarded, runLast }),
    commit: async () => await (committed ?? (begun && client.query('commit'))),
  }
}
