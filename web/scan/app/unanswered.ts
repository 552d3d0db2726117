import type { ScannedProduct } from '../data/find.ts'
import type { Attempts } from './attempts.ts'

export interface Place {
  id: string
  code: string
}

export interface Scanned {
  product?: ScannedProduct
  from?: Place
  to?: Place
}

/** A change of stock that was sent. Sent again, it is the same attempt. */
export interface SentChange {
  scanned: Scanned
  typed: string
  attempts: Attempts
  /** Whether it was saved. If not, the operator was stopped with the reason. */
  isSaved: Promise<boolean | undefined>
}

/** Changes of stock that have no answer, by screen and operator: who looks elsewhere and comes back can try them again. */
export type Unanswered = Map<string, SentChange>
