import type { About, PickBody } from '../queue/entry.ts'
import type { WalkKey } from './walk.ts'

/** Why a line stays open. */
export type ShortReason = 'not_found' | 'damaged' | 'too_few'

/** What the operator has taken at a stop and not confirmed yet: one pick to be. */
export interface DraftPick {
  pick_id: string
  body: PickBody
  about: About
}

/** The location that was scanned last. The operator chose it if there was no stop: then lines are taken from it first. */
export interface Here {
  id: string
  code: string
  isChosen: boolean
  /** The operator said where they are. Absent if it is only where something was taken without that, and in drafts of older builds. */
  isStated?: true
  /** The product that was scanned here last: a slot is confirmed for it alone. */
  product_id?: number
}

/** What the device knows of a walk beyond the server's state and the queue. */
export interface Draft {
  /** Key of the walk. */
  flow_id: WalkKey
  location: Here | null
  pick: DraftPick | null
  /** Lines that stay open for a later flow, by `order_detail_id`. */
  shorts: Record<number, ShortReason>
  /** Stops that come last, in their order. */
  skipped: string[]
  /** Of a batch: the orders that had a slot at the last step, by slot. One that is over meanwhile is still on the cart. */
  slots?: Record<number, string>
}

/** The draft of a walk in which nothing was scanned yet. */
export const emptyDraft = (key: WalkKey): Draft => ({
  flow_id: key,
  location: null,
  pick: null,
  shorts: {},
  skipped: [],
})
