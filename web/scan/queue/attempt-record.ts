import type { APIError, CountLine } from '@fulfillment/sdk'
import { expectedOf, isOpen, type KnownRecord } from '../goods/record.ts'
import type { CountEntry, Entry, ReceiptEntry, RecordEntry, RecordRef, Refusal, RefusalReason } from './entry.ts'
import { type Interruption, interruptionOf } from './interruption.ts'

/** The calls that entries of records need. They do not retry. */
export interface RecordCalls {
  receive(entry: ReceiptEntry): Promise<KnownRecord>
  undoReceipt(entry: ReceiptEntry): Promise<KnownRecord>
  enterCount(entry: CountEntry): Promise<CountLine>
  readRecord(ref: RecordRef): Promise<KnownRecord>
}

/** What is known of a record after an attempt: all of it, or a line of a count. */
export type RecordNews = { is: 'record'; known: KnownRecord } | { is: 'line'; line: CountLine }

/** What is known of a refused entry, or that its record could not be read. */
type Judgement = Interruption | { is: 'refused'; error: Refusal; news?: RecordNews }

/** Refusals by the rules of a record: the server has looked before whether it knows the id already. */
const CERTAIN = new Set([400, 404, 409])

/**
 * A count is compared with the stock at the moment at which the server gets it: later, what was picked or received in between would count as a
 * difference.
 */
const LATE_MS = 60_000

/**
 * The refusal of a count that has waited too long to be sent; undefined for other entries. The clock counts, which may be set meanwhile: unlike
 * `performance.now()` it goes on while the device sleeps, and over a restart. After it was set back, a count is late too.
 */
export function lateCount({ kind, added_at, attempts }: Entry): Refusal | undefined {
  if (kind !== 'count' || !(Math.abs(Date.now() - Date.parse(added_at)) > LATE_MS)) return undefined
  // The attempt that begins now is counted.
  return { reason: 'late', code: 'late', message: '', request_id: null, is_certain: attempts <= 1 }
}

/** Sends an entry of a record once. */
export async function sendOfRecord(entry: RecordEntry, calls: RecordCalls): Promise<RecordNews> {
  if (entry.kind === 'count') return { is: 'line', line: await calls.enterCount(entry) }
  return { is: 'record', known: entry.kind === 'undo' ? await calls.undoReceipt(entry) : await calls.receive(entry) }
}

/**
 * Decides on a refused entry by the state of its record. What an earlier attempt has carried out is not refused: a repeat is found before any
 * rule is looked at.
 */
export async function judgeOfRecord(entry: RecordEntry, error: APIError, calls: RecordCalls): Promise<Judgement> {
  const { status, code, message, requestId } = error
  const refusal = (reason: RefusalReason, detail: Partial<Refusal> = {}): Refusal => ({
    is_certain: CERTAIN.has(status) || entry.attempts <= 1,
    ...detail,
    reason,
    code,
    message,
    request_id: requestId ?? null,
  })
  try {
    const known = await calls.readRecord(entry.record)
    const left = known.kind === 'count' ? undefined : expectedOf(known, entry.body.product_id)
    const detail = { state: known.record.state, ...(left === undefined ? {} : { left }) }
    return { is: 'refused', error: refusal(reasonOf(entry, error, known, left), detail), news: { is: 'record', known } }
  } catch (failure) {
    return interruptionOf(failure) ?? { is: 'refused', error: refusal('other') }
  }
}

function reasonOf(entry: RecordEntry, { code }: APIError, known: KnownRecord, left = 0): RefusalReason {
  const isOfState = code === 'inbound_error' || code === 'return_error' || code === 'count_error'
  if (!isOfState) return 'other'
  if (!isOpen(known)) return 'over'
  // A return may be refused although it has announced as much: for what was taken for its order.
  const isBeyond = entry.kind === 'receipt' && known.kind !== 'count' && !known.record.allow_over && left < entry.body.quantity
  return isBeyond ? 'beyond' : 'other'
}
