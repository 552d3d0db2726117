import { ORDER_STATES } from '../domain/order-states/index.ts'
import { OPERATORS } from './people.ts'
import type { OrderBook } from './picking-shift.ts'
import { QUARANTINES, shelfOf } from './places.ts'
import { Random } from './random.ts'
import { DAY_MS, MINUTE_MS, type OrderRecord, type ReturnedLine, type ReturnRecord, type ShipmentRecord } from './records.ts'
import type { StockBook } from './stock-book.ts'

const RETURNED_SHARE = 0.12
const CLOSING_MS = 8 * 60 * MINUTE_MS
/** Why goods come back, and what becomes of them. */
export const RETURN_REASONS = [
  { reason: 'changed their mind', disposition: 'restock' },
  { reason: 'too many ordered', disposition: 'restock' },
  { reason: 'not as expected', disposition: 'quarantine' },
  { reason: 'arrived damaged', disposition: 'scrap' },
] as const

/** What customers send back. It is received on the day on which it is expected, and closed on the next. */
export class ReturnsDesk {
  readonly #options: { seed: number; today: number }
  readonly #book: OrderBook
  readonly #stock: StockBook
  readonly #returns: ReturnRecord[] = []

  constructor(options: { seed: number; today: number }, book: OrderBook, stock: StockBook) {
    this.#options = options
    this.#book = book
    this.#stock = stock
  }

  /** In the order of time, each with its number in that order. */
  get returns(): ReturnRecord[] {
    return this.#returns
      .toSorted((a, b) => a.createdAt - b.createdAt)
      .map((record, index) => ({ ...record, name: `RMA-${String(index + 1).padStart(5, '0')}` }))
  }

  /** Announces what comes back of completed orders, some days after their last delivery. */
  announce(shipments: readonly ShipmentRecord[]): void {
    const delivered = new Map<number, number>()
    for (const { order, deliveredAt = Infinity } of shipments)
      if (this.#book.orders[order]?.state === ORDER_STATES.completed)
        delivered.set(order, Math.max(delivered.get(order) ?? 0, deliveredAt))
    for (const [order, deliveredAt] of delivered) this.#announce(order, deliveredAt)
  }

  #announce(order: number, deliveredAt: number): void {
    const { seed, today } = this.#options
    const { name, lines } = this.#book.orders[order] as OrderRecord
    const random = new Random(`${seed} return of ${name}`)
    if (!random.chance(RETURNED_SHARE)) return
    const createdAt = deliveredAt + random.integer(1, 3 * 24 * 60) * MINUTE_MS
    if (createdAt >= today) return
    const back = random.chance(0.3) ? lines : [random.pick(lines)]
    this.#returns.push({
      name,
      order,
      reason: random.pick(RETURN_REASONS).reason,
      createdAt,
      expectedDay: Math.floor(createdAt / DAY_MS) + random.integer(1, 4),
      lines: back.map(({ product, picked }) => ({ product, quantity: random.integer(1, picked) })),
    })
  }

  /** Receives what is expected on the day of `at`, one line after the other. */
  receive(at: number): void {
    const day = Math.floor(at / DAY_MS)
    const arrived = this.#returns.filter(({ expectedDay }) => expectedDay === day)
    let clock = at
    for (const record of arrived) {
      for (const line of record.lines) this.#receive(record, line, (clock += MINUTE_MS))
      const closedAt = (day + 1) * DAY_MS + CLOSING_MS
      if (closedAt < this.#options.today) record.closedAt = closedAt
    }
  }

  #receive({ order, reason }: ReturnRecord, line: ReturnedLine, wanted: number): void {
    const { warehouse } = this.#book.orders[order] as OrderRecord
    const { disposition } = RETURN_REASONS.find((kind) => kind.reason === reason) ?? RETURN_REASONS[0]
    const at = Math.max(wanted, this.#stock.lastAt)
    const operator = order % OPERATORS.length
    const { product, quantity } = line
    if (disposition === 'scrap') line.received = { at, disposition, location: null, operator }
    else {
      const location = disposition === 'restock' ? shelfOf(product, warehouse) : (QUARANTINES[warehouse] as string)
      const goods = { at, product, location, type: 'IN', change: quantity, reason: 'return', operator, order } as const
      line.received = { at, disposition, location, operator, movement: this.#stock.change(goods) }
    }
  }
}
