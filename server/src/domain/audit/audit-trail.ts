import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/database.ts'
import { storedFor } from '../../database/keyed-calls/key-rows.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Caller } from '../../procedures/context.ts'
import { activeTracing, type Waiter } from '../../runtime/tracing/index.ts'
import { inputText } from './input-text.ts'
import type { Surface } from './schemas.ts'

/** A call that changes something. */
export interface AuditedCall {
  caller: Caller
  /** IP address of the client, subject to `TRUST_PROXY`. */
  address: string
  requestId: string
  surface: Surface
  /** `stock.adjust` */
  operation: string
  /** The validated input: only fields of the operation. */
  input: unknown
  idempotencyKey?: string | undefined
}

/** Identifies an entry, to add its result. */
export interface AuditEntryName {
  tenantId: number
  /** By the clock of the database, in milliseconds as the API shows it. */
  at: string
  id: string
  idempotencyKey?: string | undefined
}

interface Waiting {
  call: AuditedCall
  id: string
  /** For the trace of the call. */
  waiter: Waiter | undefined
  resolve: (name: AuditEntryName | undefined) => void
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
    surfaces: string[],
    sessionIds: (number | null)[],
    operatorEmails: (string | null)[],
    idempotencyKeys: (string | null)[],
  ],
  { id: string; at: string }
>({
  name: 'insert_audit_entries',
  lane: 'unsynced',
  sql: `insert into audit_log (tenant_id, at, id, key_id, key_name, address, request_id, operation, input, surface, session_id, operator_email)
   select e.tenant_id, date_trunc('milliseconds', clock_timestamp()), e.id, e.key_id, e.key_name, e.address, e.request_id, e.operation, e.input,
     e.surface, e.session_id, e.operator_email
   from unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::json[], $9::text[], $10::bigint[],
     $11::text[], $12::text[])
     e (tenant_id, id, key_id, key_name, address, request_id, operation, input, surface, session_id, operator_email, idempotency_key)
   where e.idempotency_key is null or ${storedFor('e.tenant_id', 'e.idempotency_key')} is null
   returning id, at`,
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
  lane: 'write',
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
 */
export class AuditTrail {
  readonly #db: Pick<Database, 'run'>
  readonly #onError: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #waiting: Waiting[] = []
  #isWriting = false
  #failures: (AuditEntryName & { error: string })[] = []

  constructor(db: Pick<Database, 'run'>, onError: (error: unknown) => void) {
    this.#db = db
    this.#onError = onError
    this.#timer = setInterval(() => void this.#writeFailures(), FAILURES_EVERY_MS).unref()
  }

  /**
   * Resolves when the entry of the call is written. If it rejects, the call must not run. A call that repeats one with a stored response
   * changes nothing: it has no entry, and the result is undefined. To look here for the response saves a statement of its own.
   */
  begin(call: AuditedCall): Promise<AuditEntryName | undefined> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, id: randomUUID(), waiter: activeTracing()?.waiter(), resolve, reject })
      if (this.#isWriting) return
      this.#isWriting = true
      setImmediate(() => void this.#write())
    })
  }

  /** Records in an entry that its call failed. */
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
        for (const { call, id, resolve } of batch) {
          const at = timeOf.get(id)
          resolve(at === undefined ? undefined : { tenantId: call.caller.tenantId, id, at, idempotencyKey: call.idempotencyKey })
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isWriting = false
  }

  #insert(batch: readonly Waiting[]): Promise<{ id: string; at: string }[]> {
    return this.#db.run(insertEntries, [
      batch.map(({ call }) => call.caller.tenantId),
      batch.map(({ id }) => id),
      batch.map(({ call }) => call.caller.keyId),
      batch.map(({ call }) => call.caller.keyName),
      batch.map(({ call }) => call.address),
      batch.map(({ call }) => call.requestId),
      batch.map(({ call }) => call.operation),
      batch.map(({ call }) => inputText(call.input)),
      batch.map(({ call }) => call.surface),
      batch.map(({ call }) => call.caller.session?.id ?? null),
      batch.map(({ call }) => call.caller.session?.operator?.email ?? null),
      batch.map(({ call }) => call.idempotencyKey ?? null),
    ])
  }

  async #writeFailures(): Promise<void> {
    const failures = this.#failures
    if (failures.length === 0) return
    this.#failures = []
    try {
      // Many lookups: not over the connection that all requests wait for.
      await this.#db.run(addErrors, [
        failures.map(({ tenantId }) => tenantId),
        failures.map(({ at }) => at),
        failures.map(({ id }) => id),
        failures.map(({ error }) => error),
        failures.map(({ idempotencyKey }) => idempotencyKey ?? null),
      ])
    } catch (error) {
      this.#failures = [...failures, ...this.#failures].slice(0, MAX_FAILURES)
      this.#onError(error)
    }
  }
}
