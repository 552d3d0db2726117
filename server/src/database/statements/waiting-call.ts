import { activeTracing, type Waiter } from '../../runtime/tracing/index.ts'
import type { Preface } from '../connections/preface.ts'
import type { KeyedCall } from '../keyed-calls/keyed-call.ts'

/** A call of a batched statement that has no result yet. */
export interface WaitingCall<Call, Row> {
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

/** A waiting call with an `Idempotency-Key`. */
export type KeyedWaitingCall<Call, Row> = WaitingCall<Call, Row> & { keyed: KeyedCall }

export function isKeyed<Call, Row>(waiting: WaitingCall<Call, Row>): waiting is KeyedWaitingCall<Call, Row> {
  return waiting.keyed !== undefined
}

/** Runs `work` as a part of the traces of these calls. */
export function traced<T>(calls: readonly { readonly waiter: Waiter | undefined }[], work: () => Promise<T>): Promise<T> {
  const tracing = activeTracing()
  if (tracing === undefined) return work()
  return tracing.together(
    calls.map(({ waiter }) => waiter),
    work,
  )
}
