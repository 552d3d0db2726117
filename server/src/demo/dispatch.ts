import type { DemoProduct } from './catalog.ts'
import type { OrderBook } from './picking-shift.ts'
import { Random } from './random.ts'
import { DAY_MS, type FlowRecord, MINUTE_MS, type OrderRecord, type PackageRecord, type ShipmentRecord } from './records.ts'

const HOUR_MS = 60 * MINUTE_MS
/** When the carrier comes, every day. */
const PICKUP_MS = 12 * HOUR_MS
const LINES_OF_PACKAGE = 3
/** Kilograms of an empty box. */
const BOX_WEIGHT = 0.2
const CARRIERS = ['Parcel Post', 'Swift Couriers'] as const

/** Packs what was picked. A carrier takes it at the next pickup and delivers it one or two days later. */
export class Dispatch {
  readonly #options: { seed: number; products: readonly DemoProduct[]; today: number }
  readonly #book: OrderBook
  readonly #shipments: ShipmentRecord[] = []
  readonly #numberOf = new Map<number, number>()
  #packedFlows = 0

  constructor(options: { seed: number; products: readonly DemoProduct[]; today: number }, book: OrderBook) {
    this.#options = options
    this.#book = book
  }

  /** In the order of time. */
  get shipments(): ShipmentRecord[] {
    return this.#shipments.toSorted((a, b) => a.createdAt - b.createdAt)
  }

  /** Packs what the flows took that have ended since the last call. Returns the new shipments. */
  pack(): ShipmentRecord[] {
    const { flows } = this.#book
    const first = this.#packedFlows
    this.#packedFlows = flows.length
    const packed = flows.slice(first).flatMap((flow, index) => this.#pack(flow, first + index) ?? [])
    this.#shipments.push(...packed)
    return packed
  }

  #pack(flow: FlowRecord, index: number): ShipmentRecord | undefined {
    const { seed, today } = this.#options
    const { order, state, endedAt, picks } = flow
    if (state !== 'completed' || endedAt === undefined || picks.length === 0) return undefined
    const random = new Random(`${seed} parcel of flow ${index}`)
    const createdAt = endedAt + random.integer(4, 12) * MINUTE_MS
    if (createdAt >= today) return undefined
    const number = (this.#numberOf.get(order) ?? 0) + 1
    this.#numberOf.set(order, number)
    const shippedAt = pickupAfter(createdAt)
    const deliveredAt = dayOf(shippedAt) + random.integer(1, 2) * DAY_MS + random.integer(9 * 60, 17 * 60) * MINUTE_MS
    return {
      name: `${this.#book.orders[order]?.name}-${number}`,
      order,
      createdAt,
      packages: this.#packagesOf(flow, random),
      ...(shippedAt < today && { shippedAt }),
      ...(deliveredAt < today && { deliveredAt }),
    }
  }

  #packagesOf({ order, picks }: FlowRecord, random: Random): PackageRecord[] {
    const { lines: ordered } = this.#book.orders[order] as OrderRecord
    const quantities = new Map<number, number>()
    for (const { line, quantity } of picks) quantities.set(line, (quantities.get(line) ?? 0) + quantity)
    const lines = [...quantities].map(([line, quantity]) => ({ line, quantity })).toSorted((a, b) => a.line - b.line)
    const weightOf = (line: number): number => this.#options.products[ordered[line]?.product ?? 0]?.weight ?? 0
    const carrier = random.pick(CARRIERS)
    return Array.from({ length: Math.ceil(lines.length / LINES_OF_PACKAGE) }, (_, box) => {
      const packed = lines.slice(box * LINES_OF_PACKAGE, (box + 1) * LINES_OF_PACKAGE)
      const goods = packed.reduce((sum, { line, quantity }) => sum + weightOf(line) * quantity, 0)
      return {
        carrier,
        trackingNumber: `DEMO${random.integer(10_000_000, 99_999_999)}`,
        weight: Math.round((goods + BOX_WEIGHT) * 1_000) / 1_000,
        lines: packed,
      }
    })
  }
}

const dayOf = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS

function pickupAfter(at: number): number {
  const pickup = dayOf(at) + PICKUP_MS
  return at < pickup ? pickup : pickup + DAY_MS
}
