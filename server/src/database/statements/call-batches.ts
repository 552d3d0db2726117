import { activeTracing } from '../../runtime/tracing/index.ts'
import type { Step } from '../connections/chain.ts'
import type { Preface } from '../connections/preface.ts'
import type { Transaction } from '../connections/queryable.ts'
import { isOfStatement, TooManyCallsError } from '../errors.ts'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import type { BatchRunner } from './batch-runner.ts'
import type { BatchedStatement } from './batched-statement.ts'
import { type BatchOutcome, type DividedRows, runKeyedBatch } from './keyed-batch.ts'
import { SecondRun } from './second-run.ts'
import type { Statement } from './statement.ts'
import { isKeyed, type KeyedWaitingCall, traced, type WaitingCall } from './waiting-call.ts'

/** The calls of one group of a tenant. */
interface Group<Call, Row> {
  tenantId: number
  waiting: WaitingCall<Call, Row>[]
  /** Names of what the running statements change. */
  changing: Set<string>
  underWay: number
  /** Number of calls of the running statements. */
  callsUnderWay: number
  isScheduled: boolean
  /** Set while calls wait to become more. */
  patience: NodeJS.Timeout | undefined
}

/** One statement runs while the other waits for the disk. */
const MAX_UNDER_WAY = 2
/** For `isSlowToStart`: with fewer calls running, a call had better be sent at once. */
const MANY_CALLS = 16
/** The part of the running calls that the next statement waits for. */
const WORTHWHILE_PART = 0.5
/** The longest that it waits: the running one may wait for a lock. */
const LONGEST_PATIENCE_MS = 5
/** Maximum number of rows of a shared statement. A larger statement delays all its calls, and a call of that size gains nothing from sharing. */
export const MAX_SHARED_SIZE = 200
/** Maximum number of waiting calls of a group: they may wait for a lock that the tenant itself holds. */
const MAX_WAITING = 2_000
/** Maximum number of calls with a key in a batch. Each takes a lock, and Postgres has room for 64 locks per connection by default. */
const MAX_KEYED = 64

/** Collects the calls of a batched statement that arrive while the maximum number of statements is running, and sends them together. */
export class CallBatches<Call, Row extends { call: number }> {
  readonly #batched: BatchedStatement<Call, Row>
  readonly #runner: BatchRunner
  readonly #secondRun: SecondRun<Call, Row>
  readonly #groups = new Map<string, Group<Call, Row>>()

  constructor(batched: BatchedStatement<Call, Row>, runner: BatchRunner) {
    this.#batched = batched
    this.#runner = runner
    this.#secondRun = new SecondRun(batched, runner)
  }

  /**
   * The rows of the call. Rejects with the error that the call has when it runs alone. With a key, the rows are committed together with the
   * response, and it rejects with `KeyTakenError` when another request has the key. A call with a preface was alone a moment ago; if it still is, its
   * statement is sent at once.
   */
  add(tenantId: number, call: Call, keyed?: KeyedCall, preface?: Preface): Promise<Row[]> {
    const name = `${tenantId} ${this.#batched.groupOf(call)}`
    const group = this.#groups.get(name) ?? {
      tenantId,
      waiting: [],
      changing: new Set(),
      underWay: 0,
      callsUnderWay: 0,
      isScheduled: false,
      patience: undefined,
    }
    if (group.waiting.length >= MAX_WAITING) return Promise.reject(new TooManyCallsError())
    this.#groups.set(name, group)
    return new Promise((resolve, reject) => {
      group.waiting.push({
        call,
        changes: this.#batched.changedBy(call),
        size: this.#batched.sizeOf(call),
        keyed,
        preface,
        waiter: activeTracing()?.waiter(),
        resolve,
        reject,
      })
      if (preface !== undefined && group.underWay === 0 && group.waiting.length === 1) this.#sendNext(name, group)
      else this.#schedule(name, group)
    })
  }

  /** Waits for the end of the turn, so that all requests that arrived together are in one batch. */
  #schedule(name: string, group: Group<Call, Row>): void {
    if (group.isScheduled || group.underWay >= MAX_UNDER_WAY) return
    if (this.#isWorthWaiting(group)) {
      group.patience ??= setTimeout(() => this.#sendNext(name, group), LONGEST_PATIENCE_MS)
      return
    }
    group.isScheduled = true
    setImmediate(() => {
      group.isScheduled = false
      const batch = this.#sendNext(name, group)
      if (batch.length > 0 && group.waiting.length > 0) this.#schedule(name, group)
    })
  }

  /** Whether the next statement would be sent with the first few calls that come, and all others would wait for its end. */
  #isWorthWaiting({ waiting, callsUnderWay }: Group<Call, Row>): boolean {
    if (this.#batched.isSlowToStart !== true || callsUnderWay < MANY_CALLS) return false
    return waiting.length < callsUnderWay * WORTHWHILE_PART
  }

  #sendNext(name: string, group: Group<Call, Row>): readonly WaitingCall<Call, Row>[] {
    clearTimeout(group.patience)
    group.patience = undefined
    const batch = take(group)
    if (batch.length > 0) void this.#carryOut(name, group, batch)
    return batch
  }

  async #carryOut(name: string, group: Group<Call, Row>, batch: WaitingCall<Call, Row>[]): Promise<void> {
    group.underWay++
    group.callsUnderWay += batch.length
    await this.#runTogether(group.tenantId, batch)
    group.underWay--
    group.callsUnderWay -= batch.length
    for (const { changes } of batch) for (const change of changes) group.changing.delete(change)
    if (group.waiting.length > 0) this.#schedule(name, group)
    else if (group.underWay === 0) this.#groups.delete(name)
  }

  /** Gives each call of the batch its rows or its error. */
  async #runTogether(tenantId: number, batch: readonly WaitingCall<Call, Row>[]): Promise<void> {
    const { stale, failed, error } = await this.#runFirst(tenantId, batch)
    await Promise.all(stale.map((waiting) => this.#secondRun.run(tenantId, waiting)))
    // One call failed the batch; run each alone to find it.
    if (failed.length > 1 && isOfStatement(error))
      await Promise.all(failed.map((waiting) => this.#runTogether(tenantId, [waiting])))
    else for (const { reject } of failed) reject(error)
  }

  #runFirst(tenantId: number, batch: readonly WaitingCall<Call, Row>[]): Promise<BatchOutcome<WaitingCall<Call, Row>>> {
    const keyed = batch.filter(isKeyed)
    return keyed.length > 0 ? this.#runKeyed(tenantId, keyed) : this.#runPlain(tenantId, batch)
  }

  /** Runs one statement. */
  async #runPlain(tenantId: number, batch: readonly WaitingCall<Call, Row>[]): Promise<BatchOutcome<WaitingCall<Call, Row>>> {
    const preface = batch[0]?.preface
    try {
      const rows = await traced(batch, () => {
        const { statement, values } = this.#stepOf(batch)
        return this.#runner.run(tenantId, statement, values, preface && { preface })
      })
      const { rowsOf, stale } = this.#divide(batch, rows)
      for (const [waiting, own] of rowsOf) waiting.resolve(own)
      return { stale, failed: [] }
    } catch (error) {
      return { stale: [], failed: batch, error }
    }
  }

  /** Runs one transaction, which claims the keys before the statement and stores the responses after it. */
  #runKeyed(tenantId: number, batch: readonly KeyedWaitingCall<Call, Row>[]): Promise<BatchOutcome<KeyedWaitingCall<Call, Row>>> {
    return runKeyedBatch<Row, KeyedWaitingCall<Call, Row>>(batch, {
      transaction: (work, options) => traced(batch, () => this.#runner.transaction(tenantId, work, options)),
      run: async (tx, running, guard) => this.#divide(running, await this.#runIn(tx, running, guard)),
    })
  }

  #runIn(tx: Transaction, batch: readonly WaitingCall<Call, Row>[], guard: Step | undefined): Promise<Row[]> {
    const { statement, values } = this.#stepOf(batch)
    const step = { statement, values: values() }
    return guard === undefined ? tx.run(step.statement, step.values) : tx.runGuarded(guard, step, batch[0]?.preface)
  }

  /** The statement of the first run, with its values, which are made anew for each attempt: the preface of a failed one may be committed. */
  #stepOf(batch: readonly WaitingCall<Call, Row>[]): {
    statement: Statement<readonly unknown[], Row>
    values: () => readonly unknown[]
  } {
    const calls = batch.map(({ call }) => call)
    const { alone } = this.#batched
    const [first] = calls
    if (first !== undefined && calls.length === 1 && alone?.isFor(first) === true)
      return { statement: alone.statement, values: () => alone.valuesOf(first) }
    return { statement: this.#batched.statement, values: () => this.#batched.valuesOf(calls) }
  }

  /** Divides the rows among the calls, without those that must run again. */
  #divide<Member extends WaitingCall<Call, Row>>(batch: readonly Member[], rows: readonly Row[]): DividedRows<Row, Member> {
    const byCall = Map.groupBy(rows, ({ call }) => call)
    const rowsOf = new Map<Member, Row[]>()
    const stale: Member[] = []
    for (const [position, member] of batch.entries()) {
      const own = byCall.get(position) ?? []
      if (this.#batched.secondRun?.isNeeded(own, member.call) === true) stale.push(member)
      else rowsOf.set(member, own)
    }
    return { rowsOf, stale }
  }
}

/** Removes from the queue the first calls that can run together, and marks what they change. */
function take<Call, Row>(group: Group<Call, Row>): WaitingCall<Call, Row>[] {
  const batch: WaitingCall<Call, Row>[] = []
  const left: WaitingCall<Call, Row>[] = []
  // A later call does not overtake an earlier one that waits for the same change.
  const awaited = new Set<string>()
  let size = 0
  for (const waiting of group.waiting) {
    const isFree = waiting.changes.every((change) => !group.changing.has(change) && !awaited.has(change))
    if (isFree && (batch.length === 0 || (size + waiting.size <= MAX_SHARED_SIZE && goesWith(batch, waiting)))) {
      batch.push(waiting)
      size += waiting.size
      for (const change of waiting.changes) group.changing.add(change)
    } else {
      left.push(waiting)
      for (const change of waiting.changes) awaited.add(change)
    }
  }
  group.waiting = left
  return batch
}

/** Calls with a key need a transaction, so a batch has either only calls with a key or only calls without. A call with a preface is a batch of its own. */
function goesWith<Call, Row>(batch: readonly WaitingCall<Call, Row>[], { keyed, preface }: WaitingCall<Call, Row>): boolean {
  if (preface !== undefined || batch[0]?.preface !== undefined) return false
  if (keyed === undefined) return batch[0]?.keyed === undefined
  return batch[0]?.keyed !== undefined && batch.length < MAX_KEYED
}
