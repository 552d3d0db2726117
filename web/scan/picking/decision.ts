import type { ReadingContext } from '@fulfillment/codes/read-code.ts'
import type { Outcome } from '../feedback.ts'
import type { Entry } from '../queue/entry.ts'
import type { QueueEvent } from '../queue/reduce.ts'
import type { Draft } from './draft.ts'
import type { Walk } from './walk.ts'

/** What a decision needs to know. */
export interface Picking {
  walk: Walk
  draft: Draft
  entries: readonly Entry[]
  operator: { id: number; email: string }
  /** A product is scanned at its location, after the location. */
  isLocationFirst: boolean
  /** In a batch, a slot has what was taken for it when its order was scanned. */
  isSlotScanned: boolean
  reading: Reading
  /** A new `pick_id`. */
  newId: () => string
  now: string
}

/** What codes are read by. */
export interface Reading extends ReadingContext {
  /** Whether a product is sold by weight; undefined if the device does not know. */
  isWeighable: (productId: number) => boolean | undefined
}

/** What the screen says of a success. */
export type Said =
  | { is: 'located'; code: string }
  | { is: 'taken'; taken: number; of: number }
  | { is: 'stop done'; name: string }
  | { is: 'line done'; name: string }
  | { is: 'put'; slot: number; quantity: number; name: string }
  | { is: 'order done' }
  | { is: 'short'; name: string }
  | { is: 'skipped' }
  | { is: 'undone'; name: string; quantity: number }

/** Why a scan or tap was not accepted. */
export type PickingProblem =
  | { is: 'location first'; expected: string }
  | { is: 'elsewhere'; name: string; codes: string[] }
  | { is: 'all taken'; name: string }
  | { is: 'nothing here'; code: string; expected: string | undefined }
  | { is: 'nothing to undo' }
  | { is: 'too much'; name: string; left: number }
  | { is: 'product first'; name: string }
  | { is: 'slot first' | 'other slot'; slot: number; order: string }
  | { is: 'changed' }

/** What a scan or a tap leads to. All of it is stored before the operator hears of it. */
export type Decision =
  | { outcome: Exclude<Outcome, 'problem'>; said: Said; draft: Draft; events: QueueEvent[] }
  | { outcome: 'problem'; problem: PickingProblem }
