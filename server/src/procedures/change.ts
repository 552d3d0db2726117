import type { Change } from '../database/replica/write-positions.ts'
import type { ErrorCode } from './errors.ts'

/**
 * Writes the audit entry of a call. The returned function adds the error code of a failed call. No entry is written, and undefined is
 * returned, if a response of the call's `Idempotency-Key` is stored.
 */
export type BeginAudit = (input: unknown, idempotencyKey?: string) => Promise<((error: ErrorCode) => void) | undefined>

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
  #addError: ((error: ErrorCode) => void) | undefined

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

  /** Adds the error to the audit entry, if there is one. */
  failed(error: ErrorCode): void {
    this.#addError?.(error)
  }

  /** Called when the change is committed or has failed. */
  end(): void {
    this.#position?.end()
  }

  async #record(input: unknown): Promise<void> {
    this.#addError = await this.#beginAudit(input, this.#idempotencyKey)
    if (this.#addError === undefined) throw new HasResponse()
    await this.#position?.noted
  }
}
