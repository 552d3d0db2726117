import { claimingAll, claimKeys, isNotClaimed, KeyTaken } from '../keyed-calls/claim-keys.ts'
import { keepResponses } from '../keyed-calls/keep-responses.ts'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import type { Step } from '../connections/chain.ts'
import { PrefaceFailed } from '../connections/preface.ts'
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

/** Sends the batched statement, behind the guard if there is one, and returns the rows of each member. */
type RowsOf<Row, Member> = (tx: Transaction, running: readonly Member[], guard?: Step) => Promise<Map<Member, Row[]>>

/**
 * Runs calls with an `Idempotency-Key` in one transaction of two round trips. It claims the keys and runs the batched statement; then it stores
 * the responses that the callers make of their rows. The statement does not run if another request has one of the keys: the batch runs
 * again then, and waits for the claims, to leave out the calls that did not get their key.
 *
 * A batch is not repeated here once a member has its rows: its caller repeats the whole call.
 */
export async function runKeyedBatch<Row, Member extends KeyedMember<Row>>(
  members: readonly Member[],
  transaction: RunTransaction,
  rowsOf: RowsOf<Row, Member>,
  claimsFirst = false,
): Promise<Unsettled<Member>> {
  let running = members
  let haveRows = false
  try {
    await transaction(
      async (tx) => {
        if (claimsFirst) running = await claimed<Row, Member>(tx, running)
        if (running.length === 0) return
        const rows = await rowsOf(tx, running, claimsFirst ? undefined : claimingAll(running))
        haveRows = true
        // Leaves out the calls that must run again.
        running = [...rows.keys()]
        for (const [member, own] of rows) member.resolve(own)
        await keepResponses(tx, await responsesOf(running))
      },
      { mayRepeat: () => !haveRows },
    )
  } catch (error) {
    if (!claimsFirst && isNotClaimed(error)) return await runKeyedBatch(members, transaction, rowsOf, true)
    if (error instanceof PrefaceFailed) for (const { keyed } of running) keyed.isClaimed = false
    if (!haveRows) return { error, left: running }
    for (const { keyed } of running) keyed.ended(error)
    return { left: [] }
  }
  for (const { keyed } of running) keyed.ended()
  return { left: [] }
}

/** Claims the keys, and refuses the calls that did not get theirs. */
async function claimed<Row, Member extends KeyedMember<Row>>(tx: Transaction, members: readonly Member[]): Promise<Member[]> {
  const running = await claimKeys(tx, members)
  for (const member of members) if (!running.includes(member)) member.reject(new KeyTaken())
  return running
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
