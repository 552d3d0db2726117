import type { BatchRunner } from './batch-runner.ts'
import type { BatchedStatement } from './batched-statement.ts'
import { runKeyedBatch } from './keyed-batch.ts'
import { runAgain, stepOfSecondRun } from './run-again.ts'
import { isKeyed, type KeyedWaitingCall, traced, type WaitingCall } from './waiting-call.ts'

/**
 * Runs a call of a batched statement again, alone, because its first run changed nothing: see `BatchedStatement.secondRun`. There is no third run, and
 * the call's preface was committed before the first one.
 */
export class SecondRun<Call, Row extends { call: number }> {
  readonly #batched: BatchedStatement<Call, Row>
  readonly #runner: BatchRunner

  constructor(batched: BatchedStatement<Call, Row>, runner: BatchRunner) {
    this.#batched = batched
    this.#runner = runner
  }

  /** Gives the call its rows or its error. */
  async run(tenantId: number, waiting: WaitingCall<Call, Row>): Promise<void> {
    if (isKeyed(waiting)) return await this.#runKeyed(tenantId, waiting)
    try {
      waiting.resolve(await traced([waiting], () => this.#runPlain(tenantId, waiting.call)))
    } catch (error) {
      waiting.reject(error)
    }
  }

  /** Claims the key again, because the transaction of the first run has ended. */
  async #runKeyed(tenantId: number, waiting: KeyedWaitingCall<Call, Row>): Promise<void> {
    const { failed, error } = await runKeyedBatch<Row, KeyedWaitingCall<Call, Row>>([waiting], {
      transaction: (work, options) => traced([waiting], () => this.#runner.transaction(tenantId, work, options)),
      run: async (tx) => ({ rowsOf: new Map([[waiting, await runAgain(tx, this.#batched, waiting.call)]]), stale: [] }),
      // The lock stands between the claim and the statement, so they cannot be sent together.
      claimsFirst: true,
    })
    for (const { reject } of failed) reject(error)
  }

  #runPlain(tenantId: number, call: Call): Promise<Row[]> {
    const { lock, prepare } = this.#batched.secondRun ?? {}
    if (lock !== undefined || prepare !== undefined)
      return this.#runner.transaction(tenantId, (tx) => runAgain(tx, this.#batched, call), {})
    const { statement, values } = stepOfSecondRun(this.#batched, call)
    return this.#runner.run(tenantId, statement, () => values)
  }
}
