import { ORDER_STATES } from '../domain/order-states/index.ts'
import type { DemoProduct } from './catalog.ts'
import { beginCount, countShelves } from './count-shelves.ts'
import { Dispatch } from './dispatch.ts'
import { newOrder } from './new-order.ts'
import { type OrderBook, pickLine, pickOrders, startFlows } from './picking-shift.ts'
import { type DemoLocation, DOCKS, isInNorth, QUARANTINES, shelfOf } from './places.ts'
import { OPERATORS } from './people.ts'
import { Random } from './random.ts'
import {
  type CountRecord,
  DAY_MS,
  dayText,
  type DeliveryRecord,
  type FlowRecord,
  type HistoryRecords,
  type LineRecord,
  MINUTE_MS,
  type OrderRecord,
} from './records.ts'
import { ReturnsDesk } from './returns-desk.ts'
import { StockBook } from './stock-book.ts'

export interface HistoryOptions {
  seed: number
  products: readonly DemoProduct[]
  locations: readonly DemoLocation[]
  /** Days before today with orders. */
  days: number
  /** Open orders at the end. */
  openOrders: number
  /** The beginning of today, UTC: everything happened before. */
  today: number
}

const HOUR_MS = 60 * MINUTE_MS
const WAREHOUSES = [0, 1]
/** Orders of a day, by day of the week from Sunday. */
const ORDERS_OF_DAY = [4, 12, 11, 10, 10, 13, 6]
const NORTH_SHARE = 0.2
const CANCELLED_SHARE = 0.04
const PUT_BACK_SHARE = 0.03
/** Open orders with more of a product than there is. */
const BACKORDERS = 3
const LINES_OF_DELIVERY = 6
/** Orders of the batch that is being picked. */
const ORDERS_OF_BATCH = 3

/**
 * What happened before today, simulated by the rules of the service: what operators pick is on the shelf, deliveries arrive at the dock and are put
 * away, damaged goods are put aside, shelves are counted, what is picked goes out and some of it comes back. The same options give the same
 * records.
 */
export function simulateHistory(options: HistoryOptions): HistoryRecords {
  const simulation = new Simulation(options)
  const firstDay = options.today - Math.max(options.days, 1) * DAY_MS
  simulation.firstDelivery(firstDay + 5 * HOUR_MS)
  for (let day = options.today - options.days * DAY_MS; day < options.today; day += DAY_MS) simulation.runDay(day)
  simulation.openOrders()
  simulation.announceDelivery()
  simulation.beginCount()
  return simulation.records
}

class Simulation {
  readonly #options: HistoryOptions
  readonly #random: Random
  readonly #stock: StockBook
  readonly #book: OrderBook = { orders: [], flows: [], batches: [] }
  readonly #counts: CountRecord[] = []
  readonly #deliveries: DeliveryRecord[] = []
  readonly #dispatch: Dispatch
  readonly #returnsDesk: ReturnsDesk

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#random = new Random(`${options.seed} history`)
    this.#stock = new StockBook(options.locations)
    this.#dispatch = new Dispatch(options, this.#book)
    this.#returnsDesk = new ReturnsDesk(options, this.#book, this.#stock)
  }

  get records(): HistoryRecords {
    const { movements, levels } = this.#stock
    const { shipments } = this.#dispatch
    const { returns } = this.#returnsDesk
    return { ...this.#book, movements, levels, counts: this.#counts, deliveries: this.#deliveries, shipments, returns }
  }

  /** The first stock of each product, delivered and put away. */
  firstDelivery(at: number): void {
    for (const warehouse of WAREHOUSES)
      for (const product of this.#productsOf(warehouse)) this.#receive(product, warehouse, this.#reorder(product) * 2, at)
  }

  runDay(day: number): void {
    this.#restock(day + 6 * HOUR_MS)
    this.#returnsDesk.receive(day + 7 * HOUR_MS)
    const orders = this.#takeOrders(day)
    const waiting = orders.map((order) => ({
      order,
      readyAt: (this.#book.orders[order]?.createdAt ?? 0) + 20 * MINUTE_MS,
      fate: this.#random.chance(PUT_BACK_SHARE) ? ('put back' as const) : ('whole' as const),
    }))
    const shift = { operators: OPERATORS.length, startAt: day + 8 * HOUR_MS }
    const short = pickOrders(this.#book, this.#stock, this.#random, { ...shift, waiting })
    this.#finish(short, day + 20 * HOUR_MS)
    this.#returnsDesk.announce(this.#dispatch.pack())
    this.#lookAfterStock(day + 22 * HOUR_MS)
  }

  /** The open orders: pending, released and being picked. A few of them want more than there is. */
  openOrders(): void {
    const { openOrders, today } = this.#options
    const picking: number[] = []
    for (let number = 0; number < openOrders; number++) {
      // In the order of time, the last of them shortly before midnight.
      const createdAt = today - 90 * MINUTE_MS + Math.floor((number * 60 * MINUTE_MS) / openOrders)
      const share = number / openOrders
      const isOfBatch = share >= 0.85 && picking.length < ORDERS_OF_BATCH
      const order = this.#add(createdAt, {
        assemblyDay: dayOf(today) + this.#random.pick([-1, 0, 0, 0, 0, 1, 1, 2, 4]),
        warehouse: isOfBatch ? 0 : this.#anyWarehouse(),
      })
      if (share >= 0.6)
        Object.assign(this.#book.orders[order] as OrderRecord, {
          state: ORDER_STATES.released,
          updatedAt: createdAt + 5 * MINUTE_MS,
        })
      if (share >= 0.85) picking.push(order)
    }
    this.#startPicking(picking, today - 25 * MINUTE_MS)
    this.#wantMore()
  }

  /** A delivery that is expected tomorrow: of what orders wait for, and of what is scarcest. */
  announceDelivery(): void {
    const { products, today } = this.#options
    const surplus = this.#surpluses()
    const lacking = [...products.keys()].toSorted((a, b) => (surplus[a] ?? 0) - (surplus[b] ?? 0) || a - b)
    this.#deliveries.push({
      name: `PO-${dayText(today)}`,
      createdAt: today - 3 * HOUR_MS,
      expectedDay: dayOf(today) + 1,
      lines: lacking.slice(0, LINES_OF_DELIVERY).map((product) => ({ product, quantity: this.#reorder(product) })),
    })
  }

  /** A count that is under way. Nothing moves after it. */
  beginCount(): void {
    const count = beginCount(this.#stock, this.#options.today)
    if (count !== undefined) this.#counts.push(count)
  }

  /** What is in the first warehouse beyond the threshold and what open orders still want of it, by product. */
  #surpluses(): number[] {
    const surplus = this.#options.products.map(({ minimum_threshold }) => -minimum_threshold)
    const add = (product: number, quantity: number): void => void (surplus[product] = (surplus[product] ?? 0) + quantity)
    for (const { product, warehouse, sellable, quantity } of this.#stock.levels)
      if (warehouse === 0 && sellable) add(product, quantity)
    for (const { state, warehouse, lines } of this.#book.orders)
      if (state <= ORDER_STATES.picking && warehouse === 0)
        for (const { product, quantity, picked } of lines) add(product, picked - quantity)
    return surplus
  }

  /** Orders of a day, in the order of time. Some are cancelled before anybody picks them. */
  #takeOrders(day: number): number[] {
    const usual = ORDERS_OF_DAY[new Date(day).getUTCDay()] ?? 0
    const count = Math.max(1, usual + this.#random.integer(-2, 3))
    const times = Array.from({ length: count }, () => day + this.#random.integer(7 * 60, 17 * 60) * MINUTE_MS).toSorted(
      (a, b) => a - b,
    )
    return times.flatMap((createdAt) => {
      const order = this.#add(createdAt, { assemblyDay: dayOf(day), warehouse: this.#anyWarehouse() })
      if (!this.#random.chance(CANCELLED_SHARE)) return [order]
      Object.assign(this.#book.orders[order] as OrderRecord, {
        state: ORDER_STATES.cancelled,
        updatedAt: createdAt + 10 * MINUTE_MS,
      })
      return []
    })
  }

  #anyWarehouse(): number {
    return this.#random.chance(NORTH_SHARE) ? 1 : 0
  }

  #add(createdAt: number, { assemblyDay, warehouse }: { assemblyDay: number; warehouse: number }): number {
    const { lines, customer, address } = newOrder(this.#random, this.#productsOf(warehouse))
    const number = this.#book.orders.length + 1
    return (
      this.#book.orders.push({
        name: `D${this.#options.seed}-${String(number).padStart(5, '0')}`,
        customer,
        address,
        warehouse,
        createdAt,
        updatedAt: createdAt,
        assemblyDay,
        state: ORDER_STATES.pending,
        pickingState: null,
        lines: lines.map((line) => ({ ...line, picked: 0, pickedBefore: 0 })),
      }) - 1
    )
  }

  /** What was short arrives in the evening, and is picked then: at the end of a day no order of it is open. */
  #finish(short: readonly number[], at: number): void {
    for (const index of short) {
      const { lines, warehouse } = this.#book.orders[index] as OrderRecord
      for (const { product, quantity, picked } of lines) {
        const lacking = quantity - picked - this.#stock.at(product, shelfOf(product, warehouse))
        if (lacking > 0) this.#receive(product, warehouse, this.#reorder(product) + lacking, at)
      }
    }
    // Each beginning when everything is there, also for those before it.
    const waiting = short.map((order) => ({ order, readyAt: at + 10 * MINUTE_MS, fate: 'whole' as const }))
    const left = pickOrders(this.#book, this.#stock, this.#random, { waiting, operators: 1, startAt: at + 10 * MINUTE_MS })
    if (left.length > 0) this.#finish(left, at + 30 * MINUTE_MS)
  }

  /** What is below its threshold arrives in the morning. */
  #restock(at: number): void {
    const lacking = WAREHOUSES.flatMap((warehouse) =>
      this.#productsOf(warehouse)
        .filter(
          (product) =>
            this.#stock.at(product, shelfOf(product, warehouse)) < (this.#options.products[product]?.minimum_threshold ?? 0),
        )
        .filter(() => this.#random.chance(0.8))
        .map((product) => ({ product, warehouse, arrivesAt: at + this.#random.integer(0, 59) * MINUTE_MS })),
    )
    for (const { product, warehouse, arrivesAt } of lacking.toSorted((a, b) => a.arrivesAt - b.arrivesAt))
      this.#receive(product, warehouse, this.#reorder(product), arrivesAt)
  }

  #receive(product: number, warehouse: number, quantity: number, at: number): void {
    const dock = DOCKS[warehouse] as string
    this.#stock.change({ at, product, location: dock, type: 'IN', change: quantity, reason: 'stock_receipt' })
    this.#stock.transfer({
      at: at + MINUTE_MS / 2,
      product,
      from: dock,
      to: shelfOf(product, warehouse),
      quantity,
      reason: 'put away',
    })
  }

  /** Counts two shelves, of which one may differ, and puts a damaged product aside now and then. */
  #lookAfterStock(at: number): void {
    const counted = [0, 1].map(() => this.#random.pick(this.#productsOf(0)))
    const count = countShelves(this.#stock, this.#random, counted, at)
    if (count !== undefined) this.#counts.push(count)
    if (!this.#random.chance(0.3)) return
    const product = this.#random.pick(this.#productsOf(0))
    const from = shelfOf(product, 0)
    const to = QUARANTINES[0] as string
    if (this.#stock.at(product, from) < 1) return
    this.#stock.transfer({ at: at + 5 * MINUTE_MS, product, from, to, quantity: 1, reason: 'damaged' })
  }

  /** Flows that are running, with a part of each order picked: the first orders, all of the first warehouse, in one walk, each other one by itself. */
  #startPicking(orders: readonly number[], at: number): void {
    const walk = orders.slice(0, ORDERS_OF_BATCH)
    const others = orders.slice(ORDERS_OF_BATCH)
    const flows = [
      ...startFlows(this.#book, walk, 0, at),
      ...others.flatMap((order, index) => startFlows(this.#book, [order], (index + 1) % OPERATORS.length, at + index + 1)),
    ]
    for (const [index, flow] of flows.entries()) this.#pickPartly(flow, at + 2 * MINUTE_MS + index * 1_000)
  }

  #pickPartly(flow: FlowRecord, at: number): void {
    const [first, ...others] = this.#book.orders[flow.order]?.lines ?? []
    const most = others.length > 0 ? Infinity : (first?.quantity ?? 0) - 1
    pickLine(this.#book, this.#stock, flow, 0, at, most)
  }

  /** Of what few others want: their backorders are not those of many. */
  #wantMore(): void {
    const open = this.#book.orders.filter(({ state }) => state <= ORDER_STATES.picking)
    const wanted = new Map<number, number>()
    for (const { product } of open.flatMap(({ lines }) => lines)) wanted.set(product, (wanted.get(product) ?? 0) + 1)
    const othersOf = ({ product }: LineRecord): number => wanted.get(product) ?? 0
    const rarest = open.flatMap(({ state, warehouse, lines }) => {
      const [line] = lines.toSorted((a, b) => othersOf(a) - othersOf(b))
      return state === ORDER_STATES.pending && line !== undefined ? [{ warehouse, line }] : []
    })
    for (const { warehouse, line } of rarest.toSorted((a, b) => othersOf(a.line) - othersOf(b.line)).slice(0, BACKORDERS))
      line.quantity = Math.floor(this.#stock.total(line.product, warehouse)) + this.#random.integer(3, 12)
  }

  #reorder(product: number): number {
    return this.#options.products[product]?.reorder_quantity ?? 0
  }

  #productsOf(warehouse: number): number[] {
    const all = [...this.#options.products.keys()]
    return warehouse === 0 ? all : all.filter(isInNorth)
  }
}

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS)
