import pg from 'pg'
import { statement } from '../statements/statement.ts'
import { BEGIN, type ChainedQuery, COMMIT, queryOfStep, sendChain, type Step } from './chain.ts'
import { send } from './send.ts'

/**
 * A statement that must be committed before a change begins: the audit entry of a caller alone. It is a transaction of its own in front of the change,
 * in the same message to Postgres, which does not begin the change if it fails. The commit does not wait for the disk: the change's own does for both.
 */
export interface Preface {
  readonly step: Step
  /** Whether it has been committed. The change is then sent without it. */
  readonly isCommitted: boolean
  /** It is being sent. If the connection is lost before `committed`, it may have been committed or not. */
  sent(): void
  committed(rows: readonly unknown[]): void
  /** Runs it by itself, for a change that cannot be sent together with it. Does nothing if it has been sent. */
  run(): Promise<void>
  /** Postgres refused it with this error. Returns the error of the call. */
  refused(cause: unknown): unknown
}

/** The preface was refused, so the change did not begin. */
export class PrefaceError extends Error {
  constructor(cause: unknown) {
    super('The statement in front of the change failed', { cause })
    this.name = 'PrefaceError'
  }
}

/** The settings of the unsynced connection, for one transaction, in which Postgres plans the preface. Returns no row. */
const setUnsynced = statement<[], never>({
  name: 'set_unsynced',
  connection: 'write',
  sql: `select where set_config('synchronous_commit', 'off', true) || set_config('enable_seqscan', 'off', true) = ''`,
})

/** Sends the preface, and behind it the queries of the change, as one message. Undefined, and nothing is sent, where `sendChain` sends nothing. */
export function sendPrefaced(
  client: pg.PoolClient,
  preface: Preface,
  change: readonly ChainedQuery[],
): Promise<unknown[]> | undefined {
  let written: readonly unknown[] = []
  const inFront: ChainedQuery[] = [
    { query: BEGIN },
    { query: queryOfStep({ statement: setUnsynced, values: [] }) },
    { query: queryOfStep(preface.step), done: (rows) => (written = rows) },
    { query: COMMIT, done: () => preface.committed(written) },
  ]
  const rows = sendChain(client, [...inFront, ...change])
  if (rows === undefined) return undefined
  preface.sent()
  return guarded(client, preface, rows)
}

/** Runs the preface in round trips of its own, which prepares what `sendPrefaced` needs. */
export async function runPreface(client: pg.PoolClient, preface: Preface): Promise<void> {
  preface.sent()
  await guarded(client, preface, inRoundTrips(client, preface))
}

async function inRoundTrips(client: pg.PoolClient, preface: Preface): Promise<void> {
  await client.query(BEGIN)
  await send(client, setUnsynced, [])
  const { rows } = await send(client, preface.step.statement, preface.step.values)
  await client.query(COMMIT)
  preface.committed(rows)
}

/** If the preface was refused, ends its transaction. */
async function guarded<T>(client: pg.PoolClient, preface: Preface, result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (error) {
    if (preface.isCommitted || !(error instanceof pg.DatabaseError)) throw error
    await client.query('rollback')
    throw new PrefaceError(error)
  }
}
