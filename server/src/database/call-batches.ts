import { activeTracing, type Waiter } from '../tracing/index.ts'
import type { BatchedStatement } from './batched-statement.ts'
import { isOfStatement } from './errors.ts'
import type { Statement } from './statement.ts'
import { tooMuchUnderWay } from './turns.ts'

type Run = <Row>(tenantId: number, statement: Statement<readonly unknown[], Row>, values: readonly unknown[]) => Promise<Row[]>

interface Waiting<Call, Row> {
  call: Call
  changes: readonly string[]
  size: number
  /** For the trace of the call's request. */
  waiter: Waiter | undefined
  resolve: (rows: Row[]) => void
  reject: (error: unknown) => void
}

/** The calls of one group of a tenant. */
interface Group<Call, Row> {
  tenantId: number
  waiting: Waiting<Call, Row>[]
  /** Names of what the statements under way change. */
  changing: Set<string>
  underWay: number
  isScheduled: boolean
}

/** Two, so that one works while the other waits for the disk. */
const MAX_UNDER_WAY = 2
/** Rows of a statement. A larger one is late for all its calls, and a call of that size gains nothing by company. */
export const MAX_SHARED_SIZE = 200
/** Calls of a group that wait, such as for a lock that the tenant itself holds. */
const MAX_WAITING = 2_000

/** Puts the calls of a batched statement together: those that came while as many statements as may be are under way. */
export class CallBatches<Call, Row extends { call: number }> {
  readonly #batched: BatchedStatement<Call, Row>
  readonly #run: Run
  readonly #groups = new Map<string, Group<Call, Row>>()

  constructor(batched: BatchedStatement<Call, Row>, run: Run) {
    this.#batched = batched
    this.#run = run
  }

  /** The rows of the call. Fails with what the call fails with by itself. */
  add(tenantId: number, call: Call): Promise<Row[]> {
    const name = `${tenantId} ${this.#batched.groupOf(call)}`
    const group = this.#groups.get(name) ?? { tenantId, waiting: [], changing: new Set(), underWay: 0, isScheduled: false }
    if (group.waiting.length >= MAX_WAITING) return Promise.reject(tooMuchUnderWay())
    this.#groups.set(name, group)
    return new Promise((resolve, reject) => {
      group.waiting.push({
        call,
        changes: this.#batched.changedBy(call),
        size: this.#batched.sizeOf(call),
        waiter: activeTracing()?.waiter(),
        resolve,
        reject,
      })
      this.#schedule(name, group)
    })
  }

  /** Not at once: all requests that arrived together are to be looked at first. */
  #schedule(name: string, group: Group<Call, Row>): void {
    if (group.isScheduled || group.underWay >= MAX_UNDER_WAY) return
    group.isScheduled = true
    setImmediate(() => {
      group.isScheduled = false
      const batch = take(group)
      if (batch.length > 0) void this.#carryOut(name, group, batch)
      if (batch.length > 0 && group.waiting.length > 0) this.#schedule(name, group)
    })
  }

  async #carryOut(name: string, group: Group<Call, Row>, batch: Waiting<Call, Row>[]): Promise<void> {
    group.underWay++
    await this.#runTogether(group.tenantId, batch)
    group.underWay--
    for (const { changes } of batch) for (const change of changes) group.changing.delete(change)
    if (group.waiting.length > 0) this.#schedule(name, group)
    else if (group.underWay === 0) this.#groups.delete(name)
  }

  async #runTogether(tenantId: number, batch: readonly Waiting<Call, Row>[]): Promise<void> {
    try {
      const values = this.#batched.valuesOf(batch.map(({ call }) => call))
      const run = (): Promise<Row[]> => this.#run(tenantId, this.#batched.statement, values)
      const rows = await (activeTracing()?.together(
        batch.map(({ waiter }) => waiter),
        run,
      ) ?? run())
      const byCall = Map.groupBy(rows, ({ call }) => call)
      for (const [position, { resolve }] of batch.entries()) resolve(byCall.get(position) ?? [])
    } catch (error) {
      // One of them failed, and with it all: each by itself tells which one.
      if (batch.length > 1 && isOfStatement(error))
        await Promise.all(batch.map((waiting) => this.#runTogether(tenantId, [waiting])))
      else for (const { reject } of batch) reject(error)
    }
  }
}

/** Takes the first calls that may go out together, and marks what they change. */
function take<Call, Row>(group: Group<Call, Row>): Waiting<Call, Row>[] {
  const batch: Waiting<Call, Row>[] = []
  const left: Waiting<Call, Row>[] = []
  // What an earlier call waits for, a later one does not overtake.
  const awaited = new Set<string>()
  let size = 0
  for (const waiting of group.waiting) {
    const isFree = waiting.changes.every((change) => !group.changing.has(change) && !awaited.has(change))
    if (isFree && (batch.length === 0 || size + waiting.size <= MAX_SHARED_SIZE)) {
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
