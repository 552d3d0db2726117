/** A quantity taken from a location for an order line, as the server gets it. */
export interface PickBody {
  order_detail_id: number
  location_id: string
  quantity: number
}

/** Records of goods that are received or counted: a delivery, a return, a count of stock. */
export type RecordKind = 'inbound' | 'return' | 'count'

/** A record of the tenant. */
export interface RecordRef {
  kind: RecordKind
  id: number
}

/** Goods that were received at a location, as the server gets them. */
export interface ReceiptBody {
  product_id: number
  quantity: number
  /** Null for goods that are thrown away. */
  location_id: string | null
  /** Of a return: what becomes of the goods. */
  disposition?: Disposition
}

/** What becomes of goods that come back. */
export type Disposition = 'restock' | 'quarantine' | 'scrap'

/** All that lies of a product at a location, as the server gets it. */
interface CountBody {
  product_id: number
  location_id: string
  quantity: number
}

/** What a message says of an entry, also when its flow or record is no longer on the device. */
export interface About {
  /** The order's own identifier; of a record, its name on the screens. */
  order_tenant_id: string
  product_name: string
  location_code: string
  /** Where the goods are on the cart, if the flow is in a batch. */
  slot?: number
}

/**
 * Why the server refused an entry: the flow or record is over, the line has less left, another operator has the flow, stock is short, nothing
 * may be picked at the location (`place`), or else. `late`: a count was not sent while it was true.
 */
export type RefusalReason = 'over' | 'beyond' | 'operator' | 'stock' | 'place' | 'late' | 'other'

/** The refusal of an entry. */
export interface Refusal {
  reason: RefusalReason
  code: string
  message: string
  request_id: string | null
  /** Whether it is known that the server did not carry out the entry at an earlier attempt whose response was lost. */
  is_certain: boolean
  /** State of the flow or record, operator of the flow, quantity left, stock at the location: what the message needs. */
  state?: string
  operator?: string
  left?: number
}

interface Common {
  /** Order of sending. */
  seq: number
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

interface OfFlow extends Common {
  flow_id: number
  record?: undefined
}

/** Entries that older builds have queued have no `record`. */
interface OfRecord extends Common {
  flow_id: null
  record: RecordRef
}

/** A pick, or the undo of the pick with the same `pick_id`. */
export interface PickEntry extends OfFlow {
  kind: 'pick' | 'undo'
  pick_id: string
  body: PickBody
}

export interface CompleteEntry extends OfFlow {
  kind: 'complete'
  pick_id: null
  body: null
}

/** Goods of a flow, as the server has counted them. */
export interface Goods {
  product_id: number
  product_name: string
  location_id: string
  location_code: string
  quantity: number
}

/**
 * A flow that others have ended or given to another operator, while the goods of its picks, if any, are with this one. It is never sent: it
 * waits in the Problems until the operator has dealt with them, or knows of it.
 */
export interface GoneEntry extends OfFlow {
  kind: 'gone'
  pick_id: null
  body: null
  goods: readonly Goods[]
}

/** Goods that were received, or the undo of the receipt whose `receipt_id` is the same `pick_id`. */
export interface ReceiptEntry extends OfRecord {
  kind: 'receipt' | 'undo'
  pick_id: string
  body: ReceiptBody
}

/** What was counted at a location. Its `entry_id` is the `pick_id`. */
export interface CountEntry extends OfRecord {
  kind: 'count'
  pick_id: string
  body: CountBody
}

export type FlowEntry = PickEntry | CompleteEntry | GoneEntry
export type RecordEntry = ReceiptEntry | CountEntry

/** Something that the operator did and the server does not know yet. */
export type Entry = FlowEntry | RecordEntry

type Fresh<E extends Entry> = Omit<E, 'seq' | 'state' | 'attempts' | 'error'>

/** An entry before it is in the queue. */
export type NewEntry = NewPick | Fresh<CompleteEntry> | NewReceipt | NewCount
export type NewPick = Fresh<PickEntry>
export type NewGone = Fresh<GoneEntry>
export type NewReceipt = Fresh<ReceiptEntry>
export type NewCount = Fresh<CountEntry>

/** Whether an entry is of this record. */
export const isOfRecord = (entry: Entry, { kind, id }: RecordRef): entry is RecordEntry =>
  entry.record?.kind === kind && entry.record.id === id
