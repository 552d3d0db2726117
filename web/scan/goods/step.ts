import type { ProblemNote } from '../app/app.ts'
import type { Outcome } from '../feedback.ts'
import type { Entry } from '../queue/entry.ts'
import type { QueueEvent } from '../queue/reduce.ts'
import type { KnownLocation, KnownRecord, RecordDraft, RecordRow, SentReceipt } from './record.ts'

/** What a decision needs to know. */
export interface Work<Known extends KnownRecord> {
  known: Known
  draft: RecordDraft
  sent: readonly SentReceipt[]
  weighable?: RecordRow['weighable']
  /** Of all records. */
  entries: readonly Entry[]
  /** Locations that this device knows. */
  locations: readonly KnownLocation[]
  operator: { id: number; email: string }
  /** A product is scanned at its location, after the location. */
  isLocationFirst: boolean
  /** A new id of a receipt or entry. */
  newId: () => string
  now: string
}

/** What a scan or a tap leads to. All of it is stored before the operator hears of it. */
export type Step =
  | { outcome: Exclude<Outcome, 'problem'>; text: string; draft: RecordDraft; events: QueueEvent[] }
  | { outcome: 'problem'; problem: ProblemNote }

/** A scan or tap that is not accepted. */
export const problem = (message: string, expected?: string): Step => ({ outcome: 'problem', problem: { message, expected } })
