import type { About, PickBody } from '../queue/entry.ts'

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
}

/** What the device knows of a flow beyond the server's state and the queue. */
export interface Draft {
  flow_id: number
  location: Here | null
  pick: DraftPick | null
  /** Lines that stay open for a later flow, by `order_detail_id`. */
  shorts: Record<number, ShortReason>
  /** Stops that come last, in their order. */
  skipped: string[]
}

/** The draft of a flow in which nothing was scanned yet. */
export const emptyDraft = (flowId: number): Draft => ({
  flow_id: flowId,
  location: null,
  pick: null,
  shorts: {},
  skipped: [],
})
