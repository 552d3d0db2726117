import type { Preface } from '../database/connections/preface.ts'
import { PrefacedQueries } from '../database/connections/prefaced-queries.ts'
import type { Queryable } from '../database/connections/queryable.ts'
import type { Change } from '../database/replica/write-positions.ts'
import { beingMoved } from '../errors/being-moved.ts'
import type { ErrorCode } from '../errors/error-codes.ts'

/** The audit entry of a call. */
export interface CallEntry {
  /** By the clock of the database. Null while the entry is a preface that is not committed yet. */
  readonly at: string | null
  id: string
  address: string
  /** Number of orders, or records of orders, that the entry names; those in a list are its first ones. */
  named: number
  /** Writes the entry by itself, unless that is done: for a change that reads its time before it is sent. */
  write(): Promise<void>
}

/** An entry is left out when a response is stored for its call, or its tenant is being moved. */
export class AuditEntryLeftOutError extends Error {
  constructor() {
    super('The audit entry was left out')
    this.name = 'AuditEntryLeftOutError'
  }
}

/** The audit entry of a call, and the function that adds the error code if the call fails. Without an entry, the call is not audited. */
export interface BegunAudit {
  entry?: CallEntry
  /** Writes the entry. Undefined if the entry is written already. */
  preface?: Preface | undefined
  addError: (error: ErrorCode) => void
}

/**
 * Writes the audit entry of a call, or makes it the preface of the change if `isAlone` is true. No entry is written, and undefined is returned, if a
 * response of the call's `Idempotency-Key` is stored.
 */
export type BeginAudit = (input: unknown, idempotencyKey?: string, isAlone?: () => boolean) => Promise<BegunAudit | undefined>

/** The call does not run: its `Idempotency-Key` has a stored response. */
export class KeyHasResponseError extends Error {
  constructor() {
    super('The Idempotency-Key has a stored response')
    this.name = 'KeyHasResponseError'
  }
}

/**
 * A call that changes data. Before its first statement, its audit entry is written, and the key's write position tells all processes that
 * replicas may lack the change. A call has one entry, even if its transaction is retried after a deadlock.
 */
export class RecordedChange {
  readonly #beginAudit: BeginAudit
  readonly #position: Change | undefined
  readonly #idempotencyKey: string | undefined
  readonly #isAlone: (() => boolean) | undefined
  #begun: Promise<void> | undefined
  #audit: BegunAudit | undefined

  /**
   * `position` is undefined while no process reads from a replica. With a key, a stored response is looked for. `isAlone` tells whether no other change
   * is in progress, for a call that is one statement.
   */
  constructor(beginAudit: BeginAudit, position: Change | undefined, idempotencyKey?: string, isAlone?: () => boolean) {
    this.#beginAudit = beginAudit
    this.#position = position
    this.#idempotencyKey = idempotencyKey
    this.#isAlone = isAlone
  }

  /**
   * Runs the change after its audit entry: the entry is either already written, or sent in front of the change's first statement. A change without a
   * statement writes the entry at its end. If the entry cannot be written, the change is not made. Throws `KeyHasResponseError`.
   */
  async make<Made>(input: unknown, db: Queryable, work: (db: Queryable) => Promise<Made>): Promise<Made> {
    await (this.#begun ??= this.#record(input))
    const preface = this.#audit?.preface
    if (preface === undefined || preface.isCommitted) return await work(db)
    try {
      return await withPreface(preface, () => work(new PrefacedQueries(db, preface)))
    } catch (error) {
      throw error instanceof AuditEntryLeftOutError ? this.#leftOut() : error
    }
  }

  /** For a call that has no entry yet and begins again: the stored response for which it was left out is gone. */
  beginAgain(): void {
    this.#begun = undefined
    this.#audit = undefined
  }

  /** Undefined before the call begins, and for a call that is not audited. */
  get entry(): CallEntry | undefined {
    return this.#audit?.entry
  }

  /** Adds the error to the audit entry, if there is one. */
  failed(error: ErrorCode): void {
    this.#audit?.addError(error)
  }

  /** Called when the change is committed or has failed. */
  end(): void {
    this.#position?.end()
  }

  async #record(input: unknown): Promise<void> {
    this.#audit = await this.#beginAudit(input, this.#idempotencyKey, this.#isAlone)
    if (this.#audit === undefined) throw this.#leftOut()
    await this.#position?.noted
  }

  /** Without a key, only the fence of a tenant that is being moved leaves out the entry. */
  #leftOut(): Error {
    return this.#idempotencyKey === undefined ? beingMoved() : new KeyHasResponseError()
  }
}

/** Runs the preface at the end of work that had no statement. */
async function withPreface<Made>(preface: Preface, work: () => Promise<Made>): Promise<Made> {
  try {
    return await work()
  } finally {
    await preface.run()
  }
}
