import { beingMoved } from '../database/errors.ts'
import type { Change } from '../database/replica/write-positions.ts'
import type { ErrorCode } from './errors.ts'

/** The audit entry of a call. */
export interface CallEntry {
  /** By the clock of the database. */
  at: string
  id: string
  address: string
  /** Number of orders, or records of orders, that the entry names; those in a list are its first ones. */
  named: number
}

/** An entry that was written, and the function that adds the error code of a failed call. Without an entry, the call is not audited. */
export interface BegunAudit {
  entry?: CallEntry
  addError: (error: ErrorCode) => void
}

/** Writes the audit entry of a call. No entry is written, and undefined is returned, if a response of the call's `Idempotency-Key` is stored. */
export type BeginAudit = (input: unknown, idempotencyKey?: string) => Promise<BegunAudit | undefined>

/** The call does not run: its `Idempotency-Key` has a stored response. */
export class HasResponse extends Error {
  constructor() {
    super('The Idempotency-Key has a stored response')
    this.name = 'HasResponse'
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
  #begun: Promise<void> | undefined
  #audit: BegunAudit | undefined

  /** `position` is undefined while no process reads from a replica. With a key, a stored response is looked for. */
  constructor(beginAudit: BeginAudit, position: Change | undefined, idempotencyKey?: string) {
    this.#beginAudit = beginAudit
    this.#position = position
    this.#idempotencyKey = idempotencyKey
  }

  /** Resolves when the change may begin. If it rejects, the change must not be made. Throws `HasResponse`. */
  begin(input: unknown): Promise<void> {
    return (this.#begun ??= this.#record(input))
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
    this.#audit = await this.#beginAudit(input, this.#idempotencyKey)
    // Without a key, only the fence of a tenant that is being moved leaves out the entry.
    if (this.#audit === undefined) throw this.#idempotencyKey === undefined ? beingMoved() : new HasResponse()
    await this.#position?.noted
  }
}
