/** A quantity taken from a location for an order line, as the server gets it. */
export interface PickBody {
  order_detail_id: number
  location_id: string
  quantity: number
}

/** What a message says of an entry, also when its flow is no longer on the device. */
export interface About {
  order_tenant_id: string
  product_name: string
  location_code: string
}

/**
 * Why the server refused an entry: the flow is over, the line has less left, another operator has the flow, stock is short, nothing may be
 * picked at the place, or else.
 */
export type RefusalReason = 'over' | 'beyond' | 'operator' | 'stock' | 'place' | 'other'

/** The refusal of an entry. */
export interface Refusal {
  reason: RefusalReason
  code: string
  message: string
  request_id: string | null
  /** Whether it is known that the server did not carry out the entry at an earlier attempt whose response was lost. */
  is_certain: boolean
  /** State of the flow, its operator, quantity left to pick, stock at the location: what the message needs. */
  state?: string
  operator?: string
  left?: number
}

interface Common {
  /** Order of sending. */
  seq: number
  flow_id: number
  about: About
  /** The operator who scanned, and goes with the request. */
  operator_id: number
  operator_email: string
  added_at: string
  state: 'waiting' | 'sending' | 'refused'
  /** How often it was sent. With 0, the server has never seen it. */
  attempts: number
  error: Refusal | null
}

/** A pick, or the undo of the pick with the same `pick_id`. */
export interface PickEntry extends Common {
  kind: 'pick' | 'undo'
  pick_id: string
  body: PickBody
}

export interface CompleteEntry extends Common {
  kind: 'complete'
  pick_id: null
  body: null
}

/** Something that the operator did and the server does not know yet. */
export type Entry = PickEntry | CompleteEntry

type Fresh<E extends Entry> = Omit<E, 'seq' | 'state' | 'attempts' | 'error'>

/** An entry before it is in the queue. */
export type NewEntry = Fresh<PickEntry> | Fresh<CompleteEntry>
export type NewPick = Fresh<PickEntry>
