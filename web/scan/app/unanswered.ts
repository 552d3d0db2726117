import type { ScannedProduct } from '../data/find.ts'
import type { Attempts, OpenAttempt } from './attempts.ts'

export interface ScannedLocation {
  id: string
  code: string
}

export interface Scanned {
  product?: ScannedProduct
  from?: ScannedLocation
  to?: ScannedLocation
}

/** A change of stock that was sent. Sent again, it is the same attempt. */
export interface SentChange {
  scanned: Scanned
  typed: string
  attempts: Attempts
  /** Whether it was saved. If not, the operator was stopped with the reason. */
  isSaved: Promise<boolean | undefined>
}

/** A change of stock that has no answer, as the device keeps it: after a reload, it is the same attempt. */
export interface SentRow {
  scanned: Scanned
  typed: string
  attempt: OpenAttempt
  /** When it was sent, in Unix milliseconds. */
  at: number
}

/** So long, the server knows an attempt by its key. A little less, for calls that take long. */
const KNOWN_MS = 23 * 3_600_000

/** Whether the server still knows the attempt of the row again. */
export const isKnown = ({ at }: SentRow): boolean => Date.now() - at < KNOWN_MS

/** Changes of stock that have no answer, by screen and operator: who looks elsewhere and comes back can try them again. */
export type Unanswered = Map<string, SentChange>
