import type { OrderStateId } from '../domain/order-states/index.ts'

/** A change of a level, as it is stored. */
export interface MovementRecord {
  at: number
  /** Position in the catalog. */
  product: number
  location: string
  type: 'IN' | 'OUT' | 'TRANSFER' | 'ADJUSTMENT'
  quantity: number
  previous: number
  next: number
  reason: string
  /** Index of the operator. */
  operator?: number
  /** Index in the list of orders. */
  order?: number
}

export interface LineRecord {
  product: number
  quantity: number
  picked: number
  /** What was picked when the latest flow began. */
  pickedBefore: number
}

export interface PickRecord {
  at: number
  line: number
  location: string
  quantity: number
  /** What was picked of the line after it. */
  pickedAfter: number
  /** Index in the list of movements. */
  movement: number
  /** Index of the movement that put it back, when its flow was cancelled. */
  putBack?: number
}

export interface FlowRecord {
  order: number
  operator: number
  state: 'started' | 'completed' | 'cancelled'
  itemsToPick: number
  quantityToPick: number
  startedAt: number
  endedAt?: number
  reason?: string
  picks: PickRecord[]
  /** Index of its batch, and its slot there. */
  batch?: number
  slot?: number
}

/** Orders that are picked in one walk. */
export interface BatchRecord {
  name: string
  warehouse: number
  operator: number
  createdAt: number
}

export interface OrderRecord {
  name: string
  customer: string
  address: string
  warehouse: number
  createdAt: number
  updatedAt: number
  /** Days since 1970, UTC. */
  assemblyDay: number
  state: OrderStateId
  pickingState: 1 | 2 | 3 | null
  lines: LineRecord[]
}

export interface LevelRecord {
  product: number
  location: string
  warehouse: number
  sellable: boolean
  quantity: number
  previous: number
  updatedAt: number
}

/** A line of a count, in pick order. */
export interface CountedLine {
  product: number
  location: string
  /** The level when it was counted; undefined while it is not. */
  counted?: { quantity: number; expected: number; at: number }
  /** Index of the movement that posted it. */
  movement?: number
}

/** A count in the first warehouse. */
export interface CountRecord {
  name: string
  createdAt: number
  /** Undefined while it is being counted. */
  approvedAt?: number
  locations: string[]
  /** Undefined: all that lies there. */
  products?: number[]
  /** How many movements there were when it was counted. */
  movementsBefore: number
  lines: CountedLine[]
}

/** A delivery that the first warehouse expects. */
export interface DeliveryRecord {
  name: string
  createdAt: number
  /** Days since 1970, UTC. */
  expectedDay: number
  lines: { product: number; quantity: number }[]
}

/** A box of a shipment. */
export interface PackageRecord {
  carrier: string
  trackingNumber: string
  /** Kilograms. */
  weight: number
  lines: { line: number; quantity: number }[]
}

/** What a flow took of an order, packed. */
export interface ShipmentRecord {
  name: string
  order: number
  createdAt: number
  shippedAt?: number
  deliveredAt?: number
  packages: PackageRecord[]
}

/** A line of a return. It is received as a whole. */
export interface ReturnedLine {
  product: number
  quantity: number
  received?: {
    at: number
    disposition: 'restock' | 'quarantine' | 'scrap'
    location: string | null
    operator: number
    /** Index of its movement. */
    movement?: number
  }
}

/** What comes back of an order. */
export interface ReturnRecord {
  name: string
  order: number
  reason: string
  createdAt: number
  /** Days since 1970, UTC. */
  expectedDay: number
  closedAt?: number
  lines: ReturnedLine[]
}

/** All that happened before the demo began. Orders, flows, movements, shipments and returns are in the order of time. */
export interface HistoryRecords {
  orders: OrderRecord[]
  flows: FlowRecord[]
  batches: BatchRecord[]
  movements: MovementRecord[]
  levels: LevelRecord[]
  counts: CountRecord[]
  deliveries: DeliveryRecord[]
  shipments: ShipmentRecord[]
  returns: ReturnRecord[]
}

export const DAY_MS = 86_400_000
export const MINUTE_MS = 60_000

export const iso = (ms: number): string => new Date(ms).toISOString()
export const dayText = (ms: number): string => iso(ms).slice(0, 'yyyy-mm-dd'.length)
/** The beginning of the hour. */
export const hourText = (ms: number): string => iso(ms).replace(/:.*/, ':00:00Z')
export const assemblyDate = ({ assemblyDay }: OrderRecord): string => dayText(assemblyDay * DAY_MS)
