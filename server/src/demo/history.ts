import type { DemoProduct } from './catalog.ts'
import { newOrder } from './new-order.ts'
import { type OrderBook, pickLine, pickOrders, startFlow } from './picking-shift.ts'
import { type DemoLocation, DOCKS, isInNorth, QUARANTINES, shelfOf } from './places.ts'
import { OPERATORS } from './people.ts'
import { Random } from './random.ts'
import { DAY_MS, type HistoryRecords, MINUTE_MS, type OrderRecord } from './records.ts'
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

/**
 * What happened before today, simulated by the rules of the service: what operators pick is on the shelf, deliveries arrive at the dock and are put
 * away, damaged goods are put aside, shelves are counted. The same options give the same records.
 */
export function simulateHistory(options: HistoryOptions): HistoryRecords {
  const simulation = new Simulation(options)
  const firstDay = options.today - Math.max(options.days, 1) * DAY_MS
  simulation.firstDelivery(firstDay + 5 * HOUR_MS)
  for (let day = options.today - options.days * DAY_MS; day < options.today; day += DAY_MS) simulation.runDay(day)
  simulation.openOrders()
  return simulation.records
}

class Simulation {
  readonly #options: HistoryOptions
  readonly #random: Random
  readonly #stock: StockBook
  readonly #book: OrderBook = { orders: [], flows: [] }

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#random = new Random(`${options.seed} history`)
    this.#stock = new StockBook(options.locations)
  }

  get records(): HistoryRecords {
    return { ...this.#book, movements: this.#stock.movements, levels: this.#stock.levels }
  }

  /** The first stock of each product, delivered and put away. */
  firstDelivery(at: number): void {
    for (const warehouse of WAREHOUSES)
      for (const product of this.#productsOf(warehouse)) this.#receive(product, warehouse, this.#reorder(product) * 2, at)
  }

  runDay(day: number): void {
    this.#restock(day + 6 * HOUR_MS)
    const orders = this.#takeOrders(day)
    const waiting = orders.map((order) => ({
      order,
      readyAt: (this.#book.orders[order]?.createdAt ?? 0) + 20 * MINUTE_MS,
      fate: this.#random.chance(PUT_BACK_SHARE) ? ('put back' as const) : ('whole' as const),
    }))
    const shift = { operators: OPERATORS.length, startAt: day + 8 * HOUR_MS }
    const short = pickOrders(this.#book, this.#stock, this.#random, { ...shift, waiting })
    this.#finish(short, day + 20 * HOUR_MS)
    this.#lookAfterStock(day + 22 * HOUR_MS)
  }

  /** The open orders: pending, released and being picked. A few of them want more than there is. */
  openOrders(): void {
    const { openOrders, today } = this.#options
    for (let number = 0; number < openOrders; number++) {
      // In the order of time, the last of them shortly before midnight.
      const createdAt = today - 90 * MINUTE_MS + Math.floor((number * 60 * MINUTE_MS) / openOrders)
      const order = this.#add(createdAt, { assemblyDay: dayOf(today) + this.#random.pick([-1, 0, 0, 0, 0, 1, 1, 2, 4]) })
      const share = number / openOrders
      if (share >= 0.6) Object.assign(this.#book.orders[order] as OrderRecord, { state: 2, updatedAt: createdAt + 5 * MINUTE_MS })
      if (share >= 0.85) this.#pickPartly(order, today - 25 * MINUTE_MS + number * 1_000)
    }
    this.#wantMore()
  }

  /** Orders of a day, in the order of time. Some are cancelled before anybody picks them. */
  #takeOrders(day: number): number[] {
    const usual = ORDERS_OF_DAY[new Date(day).getUTCDay()] ?? 0
    const count = Math.max(1, usual + this.#random.integer(-2, 3))
    const times = Array.from({ length: count }, () => day + this.#random.integer(7 * 60, 17 * 60) * MINUTE_MS).toSorted(
      (a, b) => a - b,
    )
    return times.flatMap((createdAt) => {
      const order = this.#add(createdAt, { assemblyDay: dayOf(day) })
      if (!this.#random.chance(CANCELLED_SHARE)) return [order]
      Object.assign(this.#book.orders[order] as OrderRecord, { state: 7, updatedAt: createdAt + 10 * MINUTE_MS })
      return []
    })
  }

  #add(createdAt: number, { assemblyDay }: { assemblyDay: number }): number {
    const warehouse = this.#random.chance(NORTH_SHARE) ? 1 : 0
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
        state: 1,
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
    for (const offset of [0, 1]) {
      const product = this.#random.pick(this.#productsOf(0))
      const location = shelfOf(product, 0)
      const found = this.#stock.at(product, location) + this.#random.pick([0, 0, 0, -1, 1])
      const change = Math.max(0, found) - this.#stock.at(product, location)
      this.#stock.change({
        at: at + offset * MINUTE_MS,
        product,
        location,
        type: 'ADJUSTMENT',
        change,
        reason: 'inventory_count',
      })
    }
    if (!this.#random.chance(0.3)) return
    const product = this.#random.pick(this.#productsOf(0))
    const from = shelfOf(product, 0)
    const to = QUARANTINES[0] as string
    if (this.#stock.at(product, from) < 1) return
    this.#stock.transfer({ at: at + 5 * MINUTE_MS, product, from, to, quantity: 1, reason: 'damaged' })
  }

  /** A flow that is running, with a part of the order picked. */
  #pickPartly(order: number, at: number): void {
    const flow = startFlow(this.#book, order, order % OPERATORS.length, at)
    const [first, ...others] = this.#book.orders[order]?.lines ?? []
    const most = others.length > 0 ? Infinity : (first?.quantity ?? 0) - 1
    pickLine(this.#book, this.#stock, flow, 0, at + 2 * MINUTE_MS, most)
  }

  #wantMore(): void {
    const pending = this.#book.orders.filter(({ state }) => state === 1)
    for (const order of pending.slice(0, BACKORDERS)) {
      const [line] = order.lines
      if (line === undefined) continue
      line.quantity = Math.floor(this.#stock.total(line.product, order.warehouse)) + this.#random.integer(3, 12)
    }
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
