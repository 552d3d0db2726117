import { isGuardFailure } from '../errors.ts'
import { claimingAll, claimKeys, KeyTakenError } from '../keyed-calls/claim-keys.ts'
import { keepResponses } from '../keyed-calls/keep-responses.ts'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import type { Step } from '../connections/chain.ts'
import { PrefaceError } from '../connections/preface.ts'
import type { Transaction, TransactionOptions } from '../connections/queryable.ts'

/** A call with an `Idempotency-Key` in a batch. */
export interface KeyedMember<Row> {
  readonly keyed: KeyedCall
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

/** The members of a batch that have neither rows nor an error yet. */
export interface BatchOutcome<Member> {
  /** They changed nothing and must run again. */
  stale: readonly Member[]
  /** The batch failed with `error`. */
  failed: readonly Member[]
  error?: unknown
}

/** The rows of a batched statement, by member. A stale member changed nothing and must run again. */
export interface DividedRows<Row, Member> {
  rowsOf: ReadonlyMap<Member, Row[]>
  stale: readonly Member[]
}

/** How a batch of calls with keys is run. */
interface KeyedWork<Row, Member> {
  transaction: (work: (tx: Transaction) => Promise<void>, options: TransactionOptions) => Promise<void>
  /** Sends the batched statement, behind the guard if there is one. */
  run: (tx: Transaction, running: readonly Member[], guard: Step | undefined) => Promise<DividedRows<Row, Member>>
  /** Whether the keys are claimed in a round trip of their own, without a guard. */
  claimsFirst?: boolean
}

/**
 * Runs calls with an `Idempotency-Key` in one transaction of two round trips. It claims the keys and runs the batched statement; then it stores
 * the responses that the callers make of their rows. The statement does not run if another request has one of the keys: the batch runs
 * again then, and waits for the claims, to leave out the calls that did not get their key.
 *
 * A batch is not repeated here once a member has its rows: its caller repeats the whole call.
 */
export async function runKeyedBatch<Row, Member extends KeyedMember<Row>>(
  members: readonly Member[],
  work: KeyedWork<Row, Member>,
): Promise<BatchOutcome<Member>> {
  const { claimsFirst = false } = work
  let running = members
  let result: DividedRows<Row, Member> | undefined
  try {
    await work.transaction(
      async (tx) => {
        if (claimsFirst) running = await claimOrReject<Row, Member>(tx, running)
        if (running.length === 0) return
        result = await work.run(tx, running, claimsFirst ? undefined : claimingAll(running))
        running = [...result.rowsOf.keys()]
        for (const [member, own] of result.rowsOf) member.resolve(own)
        await keepResponses(tx, await responsesOf(running))
      },
      { mayRepeat: () => result === undefined },
    )
  } catch (error) {
    if (!claimsFirst && isGuardFailure(error)) return await runKeyedBatch(members, { ...work, claimsFirst: true })
    if (error instanceof PrefaceError) for (const { keyed } of running) keyed.isClaimed = false
    if (result === undefined) return { stale: [], failed: running, error }
    for (const { keyed } of running) keyed.ended(error)
    return { stale: result.stale, failed: [] }
  }
  for (const { keyed } of running) keyed.ended()
  return { stale: result?.stale ?? [], failed: [] }
}

/** Claims the keys, and refuses the calls that did not get theirs. */
async function claimOrReject<Row, Member extends KeyedMember<Row>>(
  tx: Transaction,
  members: readonly Member[],
): Promise<Member[]> {
  const running = await claimKeys(tx, members)
  for (const member of members) if (!running.includes(member)) member.reject(new KeyTakenError())
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
