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
  state: 1 | 2 | 3 | 5 | 7
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

/** All that happened before the demo began. Orders and movements are in the order of time. */
export interface HistoryRecords {
  orders: OrderRecord[]
  flows: FlowRecord[]
  movements: MovementRecord[]
  levels: LevelRecord[]
}

export const DAY_MS = 86_400_000
export const MINUTE_MS = 60_000

export const iso = (ms: number): string => new Date(ms).toISOString()
export const dayText = (ms: number): string => iso(ms).slice(0, 'yyyy-mm-dd'.length)
/** The beginning of the hour. */
export const hourText = (ms: number): string => iso(ms).replace(/:.*/, ':00:00Z')
export const assemblyDate = ({ assemblyDay }: OrderRecord): string => dayText(assemblyDay * DAY_MS)
