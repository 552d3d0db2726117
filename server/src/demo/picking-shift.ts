import { ORDER_STATES, PICKING_STATES } from '../domain/order-states/index.ts'
import { shelfOf } from './places.ts'
import type { Random } from './random.ts'
import { type BatchRecord, type FlowRecord, MINUTE_MS, type OrderRecord } from './records.ts'
import type { StockBook } from './stock-book.ts'

/** What becomes of the picking of an order. */
export type Fate = 'whole' | 'put back'

/** Orders and their picking flows in the making. */
export interface OrderBook {
  orders: OrderRecord[]
  flows: FlowRecord[]
  batches: BatchRecord[]
}

/** An order that can be picked from a time on. */
interface Waiting {
  order: number
  readyAt: number
  fate: Fate
}

const SECOND_MS = 1_000
/** How often an operator waits for further orders, to pick them in one walk. */
const BATCH_SHARE = 0.15
const ORDERS_OF_BATCH = 3

/** One operator's work: a flow or a batch at a time, pick after pick. */
class Operator {
  clock: number
  /** Steps that are left of the flow. */
  steps: (() => void)[] = []

  constructor(clock: number) {
    this.clock = clock
  }
}

/**
 * Operators pick orders, beginning at `startAt`, until none is left. Their steps are made in the order of time, because each takes from stock
 * what others leave. Returns the orders of which something is not in stock.
 */
export function pickOrders(
  book: OrderBook,
  stock: StockBook,
  random: Random,
  { waiting, operators, startAt }: { waiting: readonly Waiting[]; operators: number; startAt: number },
): number[] {
  const queue = waiting.toSorted((a, b) => a.readyAt - b.readyAt || a.order - b.order)
  const staff = Array.from({ length: operators }, (_, index) => new Operator(startAt + index * 40 * SECOND_MS))
  const short: number[] = []
  for (;;) {
    const busy = staff.filter((operator) => operator.steps.length > 0 || queue.length > 0)
    const operator = busy.toSorted((a, b) => a.clock - b.clock)[0]
    if (operator === undefined) return short
    const step = operator.steps.shift()
    if (step !== undefined) step()
    else begin(operator, staff.indexOf(operator), queue.shift() as Waiting)
  }

  function begin(operator: Operator, index: number, first: Waiting): void {
    const group = first.fate === 'whole' && random.chance(BATCH_SHARE) ? [first, ...othersOf(first)] : [first]
    operator.clock = Math.max(operator.clock, ...group.map(({ readyAt }) => readyAt)) + random.integer(10, 40) * SECOND_MS
    operator.steps = [() => start(operator, index, group)]
  }

  /** Takes further orders of the same warehouse from the queue. */
  function othersOf({ order }: Waiting): Waiting[] {
    const warehouse = book.orders[order]?.warehouse
    const others = queue.filter((waiting) => waiting.fate === 'whole' && book.orders[waiting.order]?.warehouse === warehouse)
    const taken = others.slice(0, ORDERS_OF_BATCH - 1)
    for (const waiting of taken) queue.splice(queue.indexOf(waiting), 1)
    return taken
  }

  function start(operator: Operator, index: number, group: readonly Waiting[]): void {
    const orders = group.map(({ order }) => order)
    const flows = startFlows(book, orders, index, operator.clock)
    const isPutBack = group[0]?.fate === 'put back'
    const open = flows.flatMap((flow) => openLines(book, flow).map((line) => ({ flow, ...line })))
    // Flows that are put back end in their middle. The shelves of products are in the pick order.
    const wanted = isPutBack ? open.slice(0, Math.ceil(open.length / 2)) : open
    const way = flows.length === 1 ? wanted : wanted.toSorted((a, b) => a.product - b.product)
    operator.steps = [
      ...way.map(({ flow, line }) => () => {
        operator.clock += random.integer(15, 70) * SECOND_MS
        pickLine(book, stock, flow, line, operator.clock)
      }),
      () => {
        operator.clock += random.integer(10, 30) * SECOND_MS
        for (const flow of flows) end(operator, flow, isPutBack)
      },
    ]
  }

  function end({ clock }: Operator, flow: FlowRecord, isPutBack: boolean): void {
    if (isPutBack) {
      cancelFlow(book, stock, flow, clock)
      queue.push({ order: flow.order, readyAt: clock + 5 * MINUTE_MS, fate: 'whole' })
    } else if (!completeFlow(book, flow, clock)) short.push(flow.order)
  }
}

function openLines(book: OrderBook, { order }: FlowRecord): { line: number; product: number }[] {
  const lines = book.orders[order]?.lines ?? []
  return lines.flatMap(({ quantity, picked, product }, line) => (picked < quantity ? [{ line, product }] : []))
}

/** Starts a flow for each order; of several, in the slots of a batch. */
export function startFlows(book: OrderBook, orders: readonly number[], operator: number, at: number): FlowRecord[] {
  const flows = orders.map((order) => startFlow(book, order, operator, at))
  const [first] = orders
  if (first === undefined || orders.length === 1) return flows
  const { warehouse } = book.orders[first] as OrderRecord
  const name = `WALK-${String(book.batches.length + 1).padStart(5, '0')}`
  const batch = book.batches.push({ name, warehouse, operator, createdAt: at }) - 1
  for (const [index, flow] of flows.entries()) Object.assign(flow, { batch, slot: index + 1 })
  return flows
}

/** Starts a flow for what is open of an order. */
function startFlow(book: OrderBook, order: number, operator: number, at: number): FlowRecord {
  const record = book.orders[order] as OrderRecord
  const open = record.lines.filter(({ picked, quantity }) => picked < quantity)
  for (const line of record.lines) line.pickedBefore = line.picked
  Object.assign(record, { state: ORDER_STATES.picking, pickingState: PICKING_STATES.started, updatedAt: at })
  const flow: FlowRecord = {
    order,
    operator,
    state: 'started',
    itemsToPick: open.length,
    quantityToPick: open.reduce((sum, { quantity, picked }) => sum + quantity - picked, 0),
    startedAt: at,
    picks: [],
  }
  book.flows.push(flow)
  return flow
}

/** Takes what is on the shelf for a line, at most what is open, and not more than `most`. */
export function pickLine(book: OrderBook, stock: StockBook, flow: FlowRecord, index: number, at: number, most = Infinity): void {
  const order = book.orders[flow.order] as OrderRecord
  const line = order.lines[index]
  if (line === undefined) return
  const location = shelfOf(line.product, order.warehouse)
  const quantity = Math.min(most, line.quantity - line.picked, Math.floor(stock.at(line.product, location)))
  if (quantity <= 0) return
  const { operator } = flow
  const taken = { at, product: line.product, location, type: 'OUT', change: -quantity, reason: 'order_fulfillment' } as const
  const movement = stock.change({ ...taken, operator, order: flow.order })
  line.picked += quantity
  flow.picks.push({
    at: stock.movements[movement]?.at ?? at,
    line: index,
    location,
    quantity,
    pickedAfter: line.picked,
    movement,
  })
}

/** Completes a flow. False when something of the order is left. */
export function completeFlow(book: OrderBook, flow: FlowRecord, at: number): boolean {
  const order = book.orders[flow.order] as OrderRecord
  const isWhole = order.lines.every(({ picked, quantity }) => picked === quantity)
  Object.assign(flow, { state: 'completed', endedAt: at })
  const state = isWhole ? ORDER_STATES.completed : ORDER_STATES.released
  Object.assign(order, { state, pickingState: PICKING_STATES.completed, updatedAt: at })
  return isWhole
}

/** Cancels a flow: its picks go back to where they came from. */
function cancelFlow(book: OrderBook, stock: StockBook, flow: FlowRecord, at: number): void {
  const order = book.orders[flow.order] as OrderRecord
  for (const pick of flow.picks) {
    const { line, location, quantity } = pick
    const product = order.lines[line]?.product ?? 0
    pick.putBack = stock.change({
      at,
      product,
      location,
      type: 'IN',
      change: quantity,
      reason: 'return',
      operator: flow.operator,
      order: flow.order,
    })
  }
  for (const line of order.lines) line.picked = line.pickedBefore
  Object.assign(flow, { state: 'cancelled', endedAt: at, reason: 'the box broke' })
  Object.assign(order, { state: ORDER_STATES.released, pickingState: PICKING_STATES.cancelled, updatedAt: at })
}
