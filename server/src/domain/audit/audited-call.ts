import type { Caller } from '../../procedures/context.ts'
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
  /** `/orders/{id}` */
  path: string
  /** The validated input: only fields of the operation. */
  input: unknown
  idempotencyKey?: string | undefined
}

/** An entry that is written, to which the error of its call can be added. */
export interface WrittenEntry {
  /** By the clock of the database, in milliseconds as the API shows it. */
  at: string
  id: string
  /** Orders and records of orders that the call names. */
  names: readonly string[]
  call: AuditedCall
}
