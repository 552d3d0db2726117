import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { isOfStatement, isUnavailable } from '../../database/errors.ts'
import { storedFor } from '../../database/keyed-calls/key-rows.ts'
import { statement } from '../../database/statements/statement.ts'
import { activeTracing, type Waiter } from '../../runtime/tracing/index.ts'
import { inputText } from './input-text.ts'
import { type FailedCall, insertNamedEntries, nameFailedCalls } from './named-calls.ts'
import { CREATES_ORDERS, namedRecords } from './named-records.ts'
import type { AuditedCall, WrittenEntry } from './audited-call.ts'
import { AuditEntryPreface } from './entry-preface.ts'
import { type EntryValues, INSERT_ENTRIES } from './insert-entries.ts'
import { findLostEntries, type LostCall } from './lost-entries.ts'

interface Waiting {
  call: AuditedCall
  id: string
  input: string
  names: string[]
  /** Whether the entry may be a preface. */
  isAlone: () => boolean
  /** For the trace of the call. */
  waiter: Waiter | undefined
  resolve: (entry: WrittenEntry | AuditEntryPreface | undefined) => void
  reject: (error: unknown) => void
}

const FAILURES_EVERY_MS = 250
const MAX_FAILURES = 10_000

const insertEntries = statement<EntryValues, { id: string; at: string }>({
  name: 'insert_audit_entries',
  connection: 'unsynced',
  sql: `${INSERT_ENTRIES} returning id, at`,
})

/**
 * When the connection is lost during a commit, its call fails but may have changed data. A response that is stored for its key tells that it
 * has, so its entry gets no error.
 */
const addErrors = statement<
  [tenantIds: number[], at: string[], ids: string[], errors: string[], idempotencyKeys: (string | null)[]],
  never
>({
  name: 'add_audit_errors',
  // Not 'unsynced': many lookups would hold up the audit entries of all calls.
  connection: 'write',
  sql: `update audit_log a set error = f.error
   from unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::text[], $5::text[]) f (tenant_id, at, id, error, idempotency_key)
   where a.tenant_id = f.tenant_id and a.at = f.at and a.id = f.id
     and (f.idempotency_key is null or f.error not in ('service_unavailable', 'internal_error')
       or ${storedFor('f.tenant_id', 'f.idempotency_key')} is null)
     and a.at between (select min(at) from unnest($2::timestamptz[]) at) and (select max(at) from unnest($2::timestamptz[]) at)`,
})

/**
 * Writes an audit entry before each change. Calls that arrive while a statement runs are written by the next statement, over a connection
 * that does not wait for the disk. Their changes follow the entries in the write-ahead log, so no change is durable without its entry. A
 * failure is added later, and may be missing after a crash.
 *
 * The entry of a caller alone is the preface of its change: Postgres gets both in one message, and commits the entry before it begins the change.
 */
export class AuditTrail {
  readonly #db: Pick<Database, 'run'>
  readonly #onError: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #waiting: Waiting[] = []
  #isWriting = false
  #failures: FailedCall[] = []
  /** The writing of failures that was begun last, and when. */
  #recording = Promise.resolve()
  #recordedAt = -Infinity
  #lost: LostCall[] = []

  constructor(db: Pick<Database, 'run'>, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#timer = setInterval(() => this.#record(this.#lost.splice(0)), FAILURES_EVERY_MS).unref()
  }

  /**
   * Resolves when the entry of the call is written. If it rejects, the call must not run. A call that repeats one with a stored response
   * changes nothing: it has no entry, and the result is undefined. To look here for the response saves a statement of its own.
   *
   * If no other call waits at the end of this turn of the event loop, and `isAlone` then, the entry is not written yet: it is a preface for the caller
   * to send.
   */
  begin(call: AuditedCall, isAlone = (): boolean => false): Promise<WrittenEntry | AuditEntryPreface | undefined> {
    const names = namedRecords(call.path, call.input)
    // Names of records are written with the entry, in another statement.
    const mayBeAlone = names.length === 0 || call.operation === CREATES_ORDERS
    return this.#add({ call, id: randomUUID(), input: inputText(call.input), names, isAlone: mayBeAlone ? isAlone : () => false })
  }

  /**
   * Records in an entry that its call failed. The first failure after a pause is written at once, so that whoever reads the entry next sees it.
   * Those that follow are written together, every 250 ms.
   */
  failed(entry: WrittenEntry | AuditEntryPreface, error: string): void {
    const { id, names, call, at } = entry
    if (this.#failures.length + this.#lost.length >= MAX_FAILURES) return
    if (at === null) {
      // Its entry may be about to come: it is looked for by the timer.
      if (entry instanceof AuditEntryPreface && entry.isLost) this.#lost.push({ id, names, call, error })
      return
    }
    this.#failures.push({ id, names, call, at, error })
    if (performance.now() - this.#recordedAt >= FAILURES_EVERY_MS) this.#record()
  }

  #record(lost: LostCall[] = []): void {
    if (this.#failures.length + lost.length === 0) return
    this.#recordedAt = performance.now()
    this.#recording = this.#recording.then(() => this.#writeFailures(lost))
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#recording
    await this.#writeFailures(this.#lost.splice(0))
  }

  #add(call: Omit<Waiting, 'waiter' | 'resolve' | 'reject'>): Promise<WrittenEntry | AuditEntryPreface | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...call, waiter: activeTracing()?.waiter(), resolve, reject })
      if (this.#isWriting) return
      this.#isWriting = true
      setImmediate(() => void this.#write())
    })
  }

  #preface(waiting: Waiting): AuditEntryPreface {
    const insert = (): Promise<WrittenEntry | undefined> =>
      this.#add({ ...waiting, isAlone: () => false }) as Promise<WrittenEntry | undefined>
    return new AuditEntryPreface(waiting, insert)
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      const [first] = batch
      if (batch.length === 1 && first?.isAlone() === true) {
        first.resolve(this.#preface(first))
        continue
      }
      await this.#writeTogether(batch)
    }
    this.#isWriting = false
  }

  async #writeTogether(batch: readonly Waiting[]): Promise<void> {
    try {
      const insert = (): Promise<{ id: string; at: string }[]> => this.#insert(batch)
      const rows = await (activeTracing()?.together(
        batch.map(({ waiter }) => waiter),
        insert,
      ) ?? insert())
      const timeOf = new Map(rows.map(({ id, at }) => [id, at]))
      for (const { call, id, names, resolve } of batch) {
        const at = timeOf.get(id)
        resolve(at === undefined ? undefined : { id, at, names, call })
      }
    } catch (error) {
      // The entries are of several tenants: one that cannot be written must fail no other.
      if (batch.length > 1 && isOfStatement(error) && !isUnavailable(error))
        for (const waiting of batch) await this.#writeTogether([waiting])
      else for (const { reject } of batch) reject(error)
    }
  }

  #insert(batch: readonly Waiting[]): Promise<{ id: string; at: string }[]> {
    const values: EntryValues = [
      batch.map(({ call }) => call.caller.tenantId),
      batch.map(({ id }) => id),
      batch.map(({ call }) => call.caller.keyId),
      batch.map(({ call }) => call.caller.keyName),
      batch.map(({ call }) => call.address),
      batch.map(({ call }) => call.requestId),
      batch.map(({ call }) => call.operation),
      batch.map(({ input }) => input),
      batch.map(({ call }) => call.surface),
      batch.map(({ call }) => call.caller.session?.id ?? null),
      batch.map(({ call }) => call.caller.session?.operator?.email ?? null),
      batch.map(({ call }) => call.idempotencyKey ?? null),
    ]
    const named = batch.flatMap(({ id, call, names }) =>
      call.operation === CREATES_ORDERS ? [] : names.map((name) => ({ id, name })),
    )
    if (named.length === 0) return this.#db.run(insertEntries, values)
    return this.#db.run(insertNamedEntries, [...values, named.map(({ id }) => id), named.map(({ name }) => name)])
  }

  async #writeFailures(lost: readonly LostCall[]): Promise<void> {
    const known = this.#failures.splice(0)
    try {
      const failures = [...known, ...(await findLostEntries(this.#db, lost))]
      if (failures.length === 0) return
      await this.#db.run(addErrors, [
        failures.map(({ call }) => call.caller.tenantId),
        failures.map(({ at }) => at),
        failures.map(({ id }) => id),
        failures.map(({ error }) => error),
        failures.map(({ call }) => call.idempotencyKey ?? null),
      ])
      await nameFailedCalls(this.#db, failures)
    } catch (error) {
      this.#failures = [...known, ...this.#failures].slice(0, MAX_FAILURES)
      this.#lost = [...lost, ...this.#lost].slice(0, MAX_FAILURES)
      this.#onError(error)
    }
  }
}
