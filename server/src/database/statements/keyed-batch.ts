import { claimKeys, KeyTaken } from '../keyed-calls/claim-keys.ts'
import { keepResponses } from '../keyed-calls/keep-responses.ts'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import type { Transaction, TransactionOptions } from '../connections/queryable.ts'

/** A call with an `Idempotency-Key` in a batch. */
export interface KeyedMember<Row> {
  readonly keyed: KeyedCall
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

/** The members of a batch that have neither rows nor an error yet, because the batch failed. */
export interface Unsettled<Member> {
  error?: unknown
  left: readonly Member[]
}

type RunTransaction = (work: (tx: Transaction) => Promise<void>, options: TransactionOptions) => Promise<void>

/**
 * Runs calls with an `Idempotency-Key` in one transaction of three round trips. It claims the keys, runs the batched statement for the
 * calls that got their key, and stores the responses that the callers make of their rows.
 *
 * A batch is not repeated here once a member has its rows: its caller repeats the whole call.
 */
export async function runKeyedBatch<Row, Member extends KeyedMember<Row>>(
  members: readonly Member[],
  transaction: RunTransaction,
  rowsOf: (tx: Transaction, running: readonly Member[]) => Promise<Map<Member, Row[]>>,
): Promise<Unsettled<Member>> {
  let running = members
  let haveRows = false
  try {
    await transaction(
      async (tx) => {
        const claimed = await claimKeys(tx, running)
        for (const member of running) if (!claimed.includes(member)) member.reject(new KeyTaken())
        running = claimed
        if (running.length === 0) return
        const rows = await rowsOf(tx, running)
        haveRows = true
        // Leaves out the calls that must run again.
        running = [...rows.keys()]
        for (const [member, own] of rows) member.resolve(own)
        await keepResponses(tx, await responsesOf(running))
      },
      { mayRepeat: () => !haveRows },
    )
  } catch (error) {
    if (!haveRows) return { error, left: running }
    for (const { keyed } of running) keyed.ended(error)
    return { left: [] }
  }
  for (const { keyed } of running) keyed.ended()
  return { left: [] }
}

/** The responses of the calls that succeeded. The others were refused, and their part of the statement changed nothing. */
async function responsesOf(members: readonly { keyed: KeyedCall }[]): Promise<{ keyed: KeyedCall; response: Buffer }[]> {
  const responses = await Promise.all(
    members.map(async ({ keyed }) => {
      const response = await keyed.response
      return response === undefined ? [] : [{ keyed, response }]
    }),
  )
  return responses.flat()
}
