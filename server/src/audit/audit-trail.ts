import { randomUUID } from 'node:crypto'
import type { Caller } from '../context.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { activeTracing, type Waiter } from '../tracing/index.ts'
import { inputText } from './input-text.ts'

/** A call that changes something. */
export interface AuditedCall {
  caller: Caller
  /** Of the client, as `TRUST_PROXY` makes it known. */
  address: string
  requestId: string
  /** `stock.adjust` */
  operation: string
  /** As it was checked: only fields that the operation has. */
  input: unknown
}

/** Names an entry, to add to it. */
export interface AuditEntryName {
  tenantId: number
  /** By the clock of the database, in milliseconds as the API shows it. */
  at: string
  id: string
}

interface Waiting {
  call: AuditedCall
  id: string
  /** For the trace of the call. */
  waiter: Waiter | undefined
  resolve: (name: AuditEntryName) => void
  reject: (error: unknown) => void
}

const FAILURES_EVERY_MS = 250
const MAX_FAILURES = 10_000

const insertEntries = statement<
  [
    tenantIds: number[],
    ids: string[],
    keyIds: number[],
    keyNames: string[],
    addresses: string[],
    requestIds: string[],
    operations: string[],
    inputs: string[],
  ],
  { id: string; at: string }
>(
  'insert_audit_entries',
  `insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input)
   select e.tenant_id, date_trunc('milliseconds', clock_timestamp()), e.id, e.key_id, e.key_name, e.address, e.request_id, e.operation, e.input
   from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[])
     e (tenant_id, id, key_id, key_name, address, request_id, operation, input)
   returning id, at`,
)

const addErrors = statement<[tenantIds: number[], at: string[], ids: string[], errors: string[]], never>(
  'add_audit_errors',
  `update audit_log a set error = f.error
   from unnest($1::bigint[], $2::timestamptz[], $3::uuid[], $4::text[]) f (tenant_id, at, id, error)
   where a.tenant_id = f.tenant_id and a.at = f.at and a.id = f.id
     and a.at between (select min(at) from unnest($2::timestamptz[]) at) and (select max(at) from unnest($2::timestamptz[]) at)`,
)

/**
 * Writes down who changes what, before the change is made. All calls that come while one statement is under way are written by the next
 * one, over a connection that does not wait for the disk: what the calls then change is written to the same log of the database after
 * their entries, so nothing of it is ever kept without them. That a call failed is added later, and may be missing after a crash.
 */
export class AuditTrail {
  readonly #db: Pick<Database, 'run' | 'runAside'>
  readonly #onError: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #waiting: Waiting[] = []
  #isWriting = false
  #failures: (AuditEntryName & { error: string })[] = []

  constructor(db: Pick<Database, 'run' | 'runAside'>, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#timer = setInterval(() => void this.#writeFailures(), FAILURES_EVERY_MS).unref()
  }

  /** Resolves when the call has its entry and may be made. When it can not be written, the call must not be made. */
  begin(call: AuditedCall): Promise<AuditEntryName> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, id: randomUUID(), waiter: activeTracing()?.waiter(), resolve, reject })
      if (this.#isWriting) return
      this.#isWriting = true
      setImmediate(() => void this.#write())
    })
  }

  /** Adds to an entry that the call failed. */
  failed(name: AuditEntryName, error: string): void {
    if (this.#failures.length < MAX_FAILURES) this.#failures.push({ ...name, error })
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writeFailures()
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        const insert = (): Promise<{ id: string; at: string }[]> => this.#insert(batch)
        const rows = await (activeTracing()?.together(
          batch.map(({ waiter }) => waiter),
          insert,
        ) ?? insert())
        const timeOf = new Map(rows.map(({ id, at }) => [id, at]))
        for (const { call, id, resolve } of batch) resolve({ tenantId: call.caller.tenantId, id, at: timeOf.get(id) as string })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isWriting = false
  }

  #insert(batch: readonly Waiting[]): Promise<{ id: string; at: string }[]> {
    return this.#db.runAside(insertEntries, [
      batch.map(({ call }) => call.caller.tenantId),
      batch.map(({ id }) => id),
      batch.map(({ call }) => call.caller.keyId),
      batch.map(({ call }) => call.caller.keyName),
      batch.map(({ call }) => call.address),
      batch.map(({ call }) => call.requestId),
      batch.map(({ call }) => call.operation),
      batch.map(({ call }) => inputText(call.input)),
    ])
  }

  async #writeFailures(): Promise<void> {
    const failures = this.#failures
    if (failures.length === 0) return
    this.#failures = []
    try {
      // Not over the connection that all requests wait for: many entries are looked up.
      await this.#db.run(addErrors, [
        failures.map(({ tenantId }) => tenantId),
        failures.map(({ at }) => at),
        failures.map(({ id }) => id),
        failures.map(({ error }) => error),
      ])
    } catch (error) {
      this.#failures = [...failures, ...this.#failures].slice(0, MAX_FAILURES)
      this.#onError(error)
    }
  }
}
