import { Model, type ModelHold, type ModelOrder, type Policy } from '../model/reservations/model.ts'

/*
 * What a client of the service must see: its own products, locations, orders and so on, and nobody else's. It is changed by
 * `features/*.ts`, by the rules of the specification. Quantities are multiples of 1/8, so that sums are exact.
 */

export interface Product {
  n: number
  id: number
  barcode: string
  sku: string | null
  name: string
  category: string | null
  price: number | null
  threshold: number | null
  weighable: boolean
  /** Part of the quantity of a line by which picks may differ from it. */
  tolerance: number
  isActive: boolean
  /** Additional barcodes, in the order of their creation. */
  barcodes: { n: number; barcode: string; quantity: number; name: string | null }[]
}

export interface Location {
  n: number
  id: string
  name: string | null
  warehouse: number
  pickable: boolean
  sellable: boolean
  pickSequence: number | null
}

export interface OrderLine {
  id: number
  product: Product
  barcode: string
  name: string
  quantity: number
  price: number | null
}

export interface Order {
  n: number
  id: number
  name: string
  state: number
  customer: string | null
  lines: OrderLine[]
  /** Date, warehouse, and what is picked, reserved and backordered of each line. */
  book: ModelOrder
  /** 1 started, 2 completed, 3 cancelled: the state of the latest flow. */
  pickingState: number | null
  /** What completed flows picked of each line. */
  taken: number[]
}

export interface Pick {
  /** The caller's `pick_id`. */
  name: string
  product: Product
  location: string
  quantity: number
  lines: { line: number; quantity: number }[]
  isUndone: boolean
}

export interface Flow {
  n: number
  id: number
  order: Order
  state: 'started' | 'completed' | 'cancelled'
  operator: string
  itemsToPick: number
  totalQuantity: number
  picks: Pick[]
  batch?: Batch
  slot?: number
}

export interface Batch {
  n: number
  id: number
  reference: string
  flows: Flow[]
}

export interface Hold {
  n: number
  id: number
  reference: string
  book: ModelHold
  lines: { product: Product; quantity: number }[]
  state: 'active' | 'consumed' | 'released' | 'expired'
  order: Order | null
}

export interface ReceivedLine {
  id: number
  product: Product
  quantity: number
  restocked: number
  quarantined: number
  scrapped: number
}

export interface Receipt {
  name: string
  product: Product
  location: string | null
  quantity: number
  disposition: 'restock' | 'quarantine' | 'scrap'
  lines: { line: number; quantity: number }[]
  isUndone: boolean
}

/** A record of inbound, or a return. */
export interface Delivery {
  n: number
  id: number
  kind: 'inbound' | 'returns'
  reference: string
  state: 'expected' | 'receiving' | 'closed' | 'cancelled'
  warehouse: number
  order: Order | null
  allowOver: boolean
  expectedAt: string | null
  note: string | null
  lines: ReceivedLine[]
  receipts: Receipt[]
}

export interface CountLine {
  product: Product
  location: string
  counted: number | null
  expected: number | null
  /** How often a set, a bulk call or another count had set the level when the line was counted. */
  adjustments: number
}

export interface Count {
  n: number
  id: number
  reference: string
  state: 'counting' | 'review' | 'approved' | 'cancelled'
  warehouse: number
  /** Null for all. */
  locations: string[] | null
  products: Product[] | null
  blind: boolean
  lines: CountLine[]
}

export interface Shipment {
  n: number
  id: number
  reference: string
  order: Order
  state: 'open' | 'shipped' | 'delivered' | 'cancelled'
  packages: { lines: { line: number; quantity: number }[]; tracking: string | null }[]
}

export interface Movement {
  product: Product
  location: string
  type: 'IN' | 'OUT' | 'TRANSFER' | 'ADJUSTMENT'
  quantity: number
  previous: number
  now: number
  reason: string | null
  order: number | null
}

/** A subscription of the client's own. */
export interface Webhook {
  n: number
  id: string
  name: string
  url: string
  events: string[]
  isActive: boolean
  /** All topics that it ever asked for. */
  topics: Set<string>
  /** The newest one is the last. */
  secrets: string[]
  /** Quiet points since it got its newest secret instead of another one. */
  settledFor: number
  /** It was as it is at the last quiet point. */
  isUnchanged: boolean
  /** Ids of events that it must get: those of rounds in which it did not change. */
  mustHave: Set<string>
  /** The id of a delivery that was listed. */
  delivery: string | undefined
}

/** An event that the feed must have. Those of one record must be there in this order. */
export interface ExpectedEvent {
  topic: string
  record: string
  data: Record<string, unknown>
}

/** What the clients of a tenant share, made anew at each quiet point. */
export interface SharedOrders {
  /** A running flow, and the product and location of its picks. */
  flow: { id: number; product: number; location: string }
  /** An order of which something was picked. */
  packed: { order: number; line: number } | undefined
  /** The product that there is little of, the reference of a hold of it, and the warehouse where it is. */
  scarce: { barcode: string; hold: string; warehouse: number }
}

/** What a client tried there: quantities by the names that it gave. */
export interface Tries {
  acknowledged: Map<string, number>
  refused: Map<string, number>
  lost: Set<string>
}

export const noTries = (): Tries => ({ acknowledged: new Map(), refused: new Map(), lost: new Set() })

export interface ClientState {
  /** Begins every name that the client gives. */
  name: string
  key: string
  /** The client's own warehouses; its orders and locations are there. */
  warehouses: readonly number[]
  policy: Policy
  /** Stock, reservations and holds. */
  books: Model
  products: Product[]
  locations: Location[]
  orders: Order[]
  flows: Flow[]
  batches: Batch[]
  holds: Hold[]
  deliveries: Delivery[]
  counts: Count[]
  shipments: Shipment[]
  webhooks: Webhook[]
  /** Also those that were deleted. */
  everyWebhook: Webhook[]
  /** Begins the URLs of its webhooks. */
  receiver: string
  movements: Movement[]
  /** Number of `ADJUSTMENT` movements, by level. */
  adjustments: Map<string, number>
  events: ExpectedEvent[]
  /** Records of the features without a model of their own, by kind: their ids. */
  others: Map<string, { n: number; id: string | number; [field: string]: unknown }[]>
  /** Adjustments of the tenant's shared product that were acknowledged, by their reason. */
  shared: {
    product: number
    location: string
    acknowledged: Set<string>
    lost: Set<string>
    /** The tenant's delivery that all clients receive, with what was acknowledged of it, by the id of the receipt. */
    inbound: number | undefined
    receipts: Map<string, number>
    lostReceipts: Set<string>
    /** Where the clients pick and order together. */
    places: { product: { plenty: number; scarce: number }; location: string; warehouse: number }
    orders: SharedOrders | undefined
    tries: Tries
  }
  /** Number of records made so far. */
  count: number
  /** Number of items whose codes tell a weight, so far. */
  items: number
}

export function newClient(
  name: string,
  key: string,
  warehouses: readonly number[],
  policy: Policy,
  shared: { product: number; plenty: number; scarce: number; warehouse: number },
  receiver: string,
): ClientState {
  return {
    name,
    key,
    warehouses,
    policy,
    books: new Model(policy, [], warehouses),
    products: [],
    locations: [],
    orders: [],
    flows: [],
    batches: [],
    holds: [],
    deliveries: [],
    counts: [],
    shipments: [],
    webhooks: [],
    everyWebhook: [],
    receiver,
    movements: [],
    adjustments: new Map(),
    events: [],
    others: new Map(),
    shared: {
      product: shared.product,
      location: 'shared',
      acknowledged: new Set(),
      lost: new Set(),
      inbound: undefined,
      receipts: new Map(),
      lostReceipts: new Set(),
      places: { product: { plenty: shared.plenty, scarce: shared.scarce }, location: 'shared', warehouse: shared.warehouse },
      orders: undefined,
      tries: noTries(),
    },
    count: 0,
    items: 0,
  }
}

/** The number of a new record. */
export const newNumber = (client: ClientState): number => ++client.count

export const emit = (client: ClientState, topic: string, record: string, data: Record<string, unknown>): void =>
  void client.events.push({ topic, record, data })

export interface StockChange {
  product: Product
  location: string
  change: number
  type: Movement['type']
  /** The reason of the movement, and of `stock/updated`. */
  reason: string | null
  cause: string
  order?: Order | null
  /** The reservations model has made the change already. */
  isBooked?: boolean
}

const EVENT_TYPES = { IN: 'receipt', OUT: 'dispatch', TRANSFER: 'transfer', ADJUSTMENT: 'adjustment' } as const

/** Makes the changes of one call: levels, movements and the events of stock. */
export function changeStock(client: ClientState, changes: readonly StockChange[]): void {
  const { books } = client
  const concerned = changes.map(({ product, location }) => ({ product, warehouse: warehouseOf(client, location) }))
  // What the reservations model has booked is in its numbers already.
  const before = concerned.map(({ product, warehouse }) => {
    const booked = changes.filter((at) => at.isBooked && at.product === product && warehouseOf(client, at.location) === warehouse)
    return books.numbers(product.id, warehouse).on_hand - sum(booked.map(({ change }) => change))
  })
  const levels = new Map<string, { product: number; location: string; quantity: number }>()
  const seen = new Map<string, number>()
  const changed = new Map<string, { product: Product; location: string; previous: number; now: number; cause: string }>()
  for (const { product, location, change, isBooked } of changes)
    if (isBooked === true)
      seen.set(levelKey(product, location), (seen.get(levelKey(product, location)) ?? books.level(product.id, location)) - change)
  for (const { product, location, change, type, reason, cause, order = null, isBooked } of changes) {
    const key = levelKey(product, location)
    const previous = seen.get(key) ?? books.level(product.id, location)
    const now = previous + change
    seen.set(key, now)
    if (isBooked !== true) levels.set(key, { product: product.id, location, quantity: now })
    const quantity = type === 'IN' || type === 'OUT' ? Math.abs(change) : change
    client.movements.push({ product, location, type, quantity, previous, now, reason, order: order?.id ?? null })
    if (type === 'ADJUSTMENT') client.adjustments.set(key, (client.adjustments.get(key) ?? 0) + 1)
    emit(client, 'stock/movement_created', `movements:${product.id}`, {
      product_id: product.id,
      type: EVENT_TYPES[type],
    })
    const level = changed.get(key) ?? { product, location, previous, now, cause }
    changed.set(key, { ...level, now })
  }
  // One for each level, whatever the number of its movements.
  for (const [key, { product, location, previous, now, cause }] of changed)
    if (now !== previous)
      emit(client, 'stock/updated', `level:${key}`, {
        product_id: product.id,
        location_id: location,
        previous_quantity: previous,
        quantity: now,
        change: now - previous,
        reason: cause,
      })
  if (levels.size > 0) books.setLevels([...levels.values()])
  for (const [index, { product, warehouse }] of concerned.entries()) {
    const isFirst = concerned.findIndex((other) => other.product === product && other.warehouse === warehouse) === index
    if (isFirst) emitLowAlert(client, product, warehouse, before[index] ?? 0)
  }
}

/** Sent when a total falls below the threshold. */
export function emitLowAlert(client: ClientState, { id, threshold }: Product, warehouse: number, before: number): void {
  const total = client.books.numbers(id, warehouse).on_hand
  if (threshold !== null && before >= threshold && total < threshold)
    emit(client, 'stock/low_alert', `low:${id}`, { product_id: id, current_quantity: total })
}

export const levelKey = (product: Product, location: string): string => `${product.id}/${location}`

const warehouseOf = (client: ClientState, location: string): number =>
  client.locations.find(({ id }) => id === location)?.warehouse as number

/** Whether the orders' reservations changed in this call; the service tells subscribers of it. */
export function statusesOf(client: ClientState): Map<Order, 'reserved' | 'backordered' | null | undefined> {
  return new Map(client.orders.map((order) => [order, client.books.statusOf(order.book)]))
}

/** Sends `reservation/updated` for each open order whose status is another one than before the call. */
export function emitReservations(client: ClientState, before: ReturnType<typeof statusesOf>): void {
  for (const [order, status] of statusesOf(client)) {
    const previous = before.has(order) ? before.get(order) : null
    const isNews = before.has(order) ? status !== previous : status === 'backordered'
    if (isNews && (status === 'reserved' || status === 'backordered'))
      emit(client, 'reservation/updated', `reservation:${order.id}`, {
        order_id: order.id,
        status,
        previous_status: previous ?? null,
        reserved_quantity: sum(order.book.lines.map(({ reserved }) => reserved)),
        backordered_quantity: sum(order.book.lines.map(({ backordered }) => backordered)),
      })
  }
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
