import type { Step } from '../../database/connections/chain.ts'
import type { Preface } from '../../database/connections/preface.ts'
import { isGuardFailure } from '../../database/errors.ts'
import { storedFor } from '../../database/keyed-calls/key-rows.ts'
import { statement } from '../../database/statements/statement.ts'
import { AuditEntryLeftOutError } from '../../procedures/change.ts'
import type { AuditedCall, WrittenEntry } from './audited-call.ts'
import { type EntryRow, insertEntry } from './insert-entries.ts'

const AT_SETTING = 'fulfillment.entry_at'

const UUID_LENGTH = 36

/**
 * SQL for the time of the entry that was the preface of this statement. Null if the last preface on this connection was not the entry with this id:
 * the setting outlives its call.
 */
export const timeOfPreface = (id: string): string =>
  `case when left(current_setting('${AT_SETTING}', true), ${UUID_LENGTH}) = ${id}::text then substr(current_setting('${AT_SETTING}', true), ${UUID_LENGTH + 1})::timestamptz end`

/** Divides by zero when there is no entry: a response is stored for the key, or the fence of a tenant that is being moved left it out. */
const insertPreface = statement<
  [...entry: EntryRow, idempotencyKey: string | null],
  { written: number; at: string; setting: string }
>({
  name: 'insert_audit_preface',
  connection: 'unsynced',
  notNull: ['at'],
  sql: `with entry as (
     ${insertEntry('clock_timestamp()')}
     where $12::text is null or ${storedFor('$1::bigint', '$12::text')} is null
     returning at
   )
   select 1 / count(*) as written, min(at) as at, set_config('${AT_SETTING}', $2::text || min(at)::text, false) as setting from entry`,
})

type State = 'waiting' | 'sent' | 'committed' | 'left out'

/** The audit entry of a caller alone, which is the preface of its change. */
export class AuditEntryPreface implements Preface {
  readonly id: string
  readonly call: AuditedCall
  readonly names: readonly string[]
  readonly step: Step
  readonly #insert: () => Promise<WrittenEntry | undefined>
  #state: State = 'waiting'
  #at: string | null = null

  /** `insert` writes it by itself. */
  constructor(
    { id, call, names, input }: { id: string; call: AuditedCall; names: readonly string[]; input: string },
    insert: () => Promise<WrittenEntry | undefined>,
  ) {
    const { caller, address, requestId, operation, surface, idempotencyKey = null } = call
    this.id = id
    this.call = call
    this.names = names
    this.#insert = insert
    const { session } = caller
    const by = [caller.keyId, caller.keyName, address, requestId] as const
    const where = [surface, session?.id ?? null, session?.operator?.email ?? null] as const
    this.step = {
      statement: insertPreface,
      values: [caller.tenantId, id, ...by, operation, input, ...where, idempotencyKey],
    }
  }

  /** Null until it is committed. */
  get at(): string | null {
    return this.#at
  }

  get isCommitted(): boolean {
    return this.#state === 'committed'
  }

  /** Whether the connection was lost while it was sent, so that nobody knows whether it was written. */
  get isLost(): boolean {
    return this.#state === 'sent'
  }

  sent(): void {
    this.#state = 'sent'
  }

  committed([row]: readonly unknown[]): void {
    this.#at = (row as { at: string }).at
    this.#state = 'committed'
  }

  async run(): Promise<void> {
    if (this.#state !== 'waiting') return
    const written = await this.#insert()
    if (written === undefined) throw this.#leaveOut()
    this.committed([written])
  }

  refused(cause: unknown): unknown {
    if (isGuardFailure(cause)) return this.#leaveOut()
    this.#state = 'waiting'
    return cause
  }

  #leaveOut(): AuditEntryLeftOutError {
    this.#state = 'left out'
    return new AuditEntryLeftOutError()
  }
}
