import type { Step } from '../connections/chain.ts'
import type { BatchedStatement } from './batched-statement.ts'
import type { Statement, StatementRunner } from './statement.ts'

/** The statement of a call's second run, and its values. */
export function stepOfSecondRun<Call, Row extends { call: number }>(
  batched: BatchedStatement<Call, Row>,
  call: Call,
): Step & { statement: Statement<readonly unknown[], Row> } {
  const { statement, valuesOf } = batched.secondRun?.instead ?? batched
  return { statement, values: valuesOf([call]) }
}

/** The second run of a call, in this transaction: takes the lock and prepares the call first. Returns the rows that count. */
export async function runAgain<Call, Row extends { call: number }>(
  tx: StatementRunner,
  batched: BatchedStatement<Call, Row>,
  call: Call,
): Promise<Row[]> {
  const { lock, prepare } = batched.secondRun ?? {}
  const locked = lock?.(call)
  const [prepared = call] = await Promise.all([
    prepare?.(tx, call),
    locked === undefined ? undefined : tx.run(locked.statement, locked.values),
  ])
  const { statement, values } = stepOfSecondRun(batched, prepared)
  return await tx.run(statement, values)
}

/** Runs a call that shares its statement with no other, in this transaction, with its second run if it needs one. */
export async function runInTransaction<Call, Row extends { call: number }>(
  tx: StatementRunner,
  batched: BatchedStatement<Call, Row>,
  call: Call,
): Promise<Row[]> {
  const rows = await tx.run(batched.statement, batched.valuesOf([call]))
  return batched.secondRun?.isNeeded(rows, call) === true ? await runAgain(tx, batched, call) : rows
}
