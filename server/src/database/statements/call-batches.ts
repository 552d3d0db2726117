import { activeTracing, type Waiter } from '../../runtime/tracing/index.ts'
import type { BatchedStatement } from './batched-statement.ts'
import type { Step } from '../connections/chain.ts'
import type { Preface } from '../connections/preface.ts'
import type { Transaction, TransactionOptions } from '../connections/queryable.ts'
import { isOfStatement } from '../errors.ts'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'
import { runKeyedBatch, type Unsettled } from './keyed-batch.ts'
import type { Statement } from './statement.ts'
import { tooMuchUnderWay } from '../connections/turns.ts'

/** Sends batches to the database. */
export interface BatchRunner {
  run<Row>(
    tenantId: number,
    statement: Statement<readonly unknown[], Row>,
    values: readonly unknown[],
    lane?: undefined,
    preface?: Preface,
  ): Promise<Row[]>
  transaction<T>(tenantId: number, work: (tx: Transaction) => Promise<T>, options: TransactionOptions): Promise<T>
}

interface Waiting<Call, Row> {
  call: Call
  changes: readonly string[]
  size: number
  /** Undefined for a call without an `Idempotency-Key`. */
  keyed: KeyedCall | undefined
  preface: Preface | undefined
  /** The request that waits, for its trace. */
  waiter: Waiter | undefined
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

/** The calls of one group of a tenant. */
interface Group<Call, Row> {
  tenantId: number
  waiting: Waiting<Call, Row>[]
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
  readonly #groups = new Map<string, Group<Call, Row>>()

  constructor(batched: BatchedStatement<Call, Row>, runner: BatchRunner) {
    this.#batched = batched
    this.#runner = runner
  }

  /**
   * The rows of the call. Rejects with the error that the call has when it runs alone. With a key, the rows are committed together with the
   * response, and it rejects with `KeyTaken` when another request has the key. A call with a preface was alone a moment ago; if it still is, its
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
    if (group.waiting.length >= MAX_WAITING) return Promise.reject(tooMuchUnderWay())
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

  #sendNext(name: string, group: Group<Call, Row>): readonly Waiting<Call, Row>[] {
    clearTimeout(group.patience)
    group.patience = undefined
    const batch = take(group)
    if (batch.length > 0) void this.#carryOut(name, group, batch)
    return batch
  }

  async #carryOut(name: string, group: Group<Call, Row>, batch: Waiting<Call, Row>[]): Promise<void> {
    group.underWay++
    group.callsUnderWay += batch.length
    await this.#runTogether(group.tenantId, batch)
    group.underWay--
    group.callsUnderWay -= batch.length
    for (const { changes } of batch) for (const change of changes) group.changing.delete(change)
    if (group.waiting.length > 0) this.#schedule(name, group)
    else if (group.underWay === 0) this.#groups.delete(name)
  }

  async #runTogether(tenantId: number, batch: readonly Waiting<Call, Row>[], isAgain = false): Promise<void> {
    const keyed = batch.filter(isKeyed)
    const stale: Waiting<Call, Row>[] = []
    const { error, left } = await (keyed.length > 0
      ? this.#runKeyed(tenantId, keyed, isAgain, stale)
      : this.#runPlain(tenantId, batch, isAgain, stale))
    await Promise.all(stale.map((waiting) => this.#runTogether(tenantId, [waiting], true)))
    // One call failed the batch; run each alone to find it.
    if (left.length > 1 && isOfStatement(error)) await Promise.all(left.map((waiting) => this.#runTogether(tenantId, [waiting])))
    else for (const { reject } of left) reject(error)
  }

  /** Runs one statement. Returns the calls without a result if it failed. */
  async #runPlain(
    tenantId: number,
    batch: readonly Waiting<Call, Row>[],
    isAgain: boolean,
    stale: Waiting<Call, Row>[],
  ): Promise<Unsettled<Waiting<Call, Row>>> {
    try {
      const rows = await this.#traced(batch, () =>
        isAgain && this.#isPrepared
          ? this.#runner.transaction(tenantId, (tx) => this.#rowsIn(tx, batch, isAgain), {})
          : this.#run(tenantId, batch, isAgain),
      )
      for (const [waiting, own] of this.#rowsOfEach(batch, rows, isAgain, stale)) waiting.resolve(own)
      return { left: [] }
    } catch (error) {
      return { error, left: batch }
    }
  }

  #run(tenantId: number, batch: readonly Waiting<Call, Row>[], isAgain: boolean): Promise<Row[]> {
    const { statement, values } = this.#stepOf(
      batch.map(({ call }) => call),
      isAgain,
    )
    // A call that runs again has sent its preface.
    return this.#runner.run(tenantId, statement, values, undefined, isAgain ? undefined : batch[0]?.preface)
  }

  /** Whether a call that runs again does anything in front of its statement. */
  get #isPrepared(): boolean {
    const { lock, prepare } = this.#batched.again ?? {}
    return lock !== undefined || prepare !== undefined
  }

  /** The statement of calls, with their values. One for a single call is not tried twice. */
  #stepOf(calls: readonly Call[], isAgain: boolean): StepOf<Row> {
    const { alone, again } = this.#batched
    const [first] = calls
    if (!isAgain && first !== undefined && calls.length === 1 && alone?.isFor(first) === true)
      return { statement: alone.statement, values: alone.valuesOf(first) }
    const batched = (isAgain ? again?.instead : undefined) ?? this.#batched
    return { statement: batched.statement, values: batched.valuesOf(calls) }
  }

  /** Runs one transaction, which claims the keys before the statement and stores the responses after it. */
  #runKeyed(
    tenantId: number,
    batch: readonly KeyedWaiting<Call, Row>[],
    isAgain: boolean,
    stale: Waiting<Call, Row>[],
  ): Promise<Unsettled<KeyedWaiting<Call, Row>>> {
    return runKeyedBatch<Row, KeyedWaiting<Call, Row>>(
      batch,
      (work, options) => this.#traced(batch, () => this.#runner.transaction(tenantId, work, options)),
      async (tx, running, guard) => this.#rowsOfEach(running, await this.#rowsIn(tx, running, isAgain, guard), isAgain, stale),
      // A call that runs again takes a lock before its statement.
      isAgain,
    )
  }

  /** Runs the statement in a transaction. Calls that run again take their locks first, and are prepared meanwhile. */
  async #rowsIn(tx: Transaction, batch: readonly Waiting<Call, Row>[], isAgain: boolean, guard?: Step): Promise<Row[]> {
    const given = batch.map(({ call }) => call)
    const calls = isAgain ? await Promise.all(given.map((call) => this.#readied(tx, call))) : given
    const change = this.#stepOf(calls, isAgain)
    return await (guard === undefined || isAgain
      ? tx.run(change.statement, change.values)
      : tx.runGuarded(guard, change, batch[0]?.preface))
  }

  /** Locks what a call that runs again needs, and returns it prepared. */
  async #readied(tx: Transaction, call: Call): Promise<Call> {
    const { lock, prepare } = this.#batched.again ?? {}
    const locked = lock?.(call)
    const [prepared = call] = await Promise.all([
      prepare?.(tx, call),
      locked === undefined ? undefined : tx.run(locked.statement, locked.values),
    ])
    return prepared
  }

  /** The rows of each call. Calls that must run again are left out and added to `stale`. */
  #rowsOfEach<Member extends Waiting<Call, Row>>(
    batch: readonly Member[],
    rows: readonly Row[],
    isAgain: boolean,
    stale: Waiting<Call, Row>[],
  ): Map<Member, Row[]> {
    const byCall = Map.groupBy(rows, ({ call }) => call)
    const rowsOf = new Map<Member, Row[]>()
    stale.length = 0
    for (const [position, member] of batch.entries()) {
      const own = byCall.get(position) ?? []
      if (!isAgain && this.#batched.again?.isNeeded(own, member.call) === true) stale.push(member)
      else rowsOf.set(member, own)
    }
    return rowsOf
  }

  #traced<T>(batch: readonly Waiting<Call, Row>[], work: () => Promise<T>): Promise<T> {
    const tracing = activeTracing()
    if (tracing === undefined) return work()
    return tracing.together(
      batch.map(({ waiter }) => waiter),
      work,
    )
  }
}

type StepOf<Row> = Step & { statement: Statement<readonly unknown[], Row> }

type KeyedWaiting<Call, Row> = Waiting<Call, Row> & { keyed: KeyedCall }

function isKeyed<Call, Row>(waiting: Waiting<Call, Row>): waiting is KeyedWaiting<Call, Row> {
  return waiting.keyed !== undefined
}

/** Removes from the queue the first calls that can run together, and marks what they change. */
function take<Call, Row>(group: Group<Call, Row>): Waiting<Call, Row>[] {
  const batch: Waiting<Call, Row>[] = []
  const left: Waiting<Call, Row>[] = []
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
function goesWith<Call, Row>(batch: readonly Waiting<Call, Row>[], { keyed, preface }: Waiting<Call, Row>): boolean {
  if (preface !== undefined || batch[0]?.preface !== undefined) return false
  if (keyed === undefined) return batch[0]?.keyed === undefined
  return batch[0]?.keyed !== undefined && batch.length < MAX_KEYED
}
