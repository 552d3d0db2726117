import type { DemoLocation } from './places.ts'
import type { LevelRecord, MovementRecord } from './records.ts'

type Change = Omit<MovementRecord, 'previous' | 'next' | 'quantity'> & {
  /** Added; negative to remove. */
  change: number
}

/** The levels and movements of the demo, by the rules of the service: no level below 0, and each change has its movement. */
export class StockBook {
  readonly movements: MovementRecord[] = []
  readonly #levels = new Map<string, LevelRecord>()
  readonly #locations: ReadonlyMap<string, DemoLocation>
  #lastAt = 0

  constructor(locations: readonly DemoLocation[]) {
    this.#locations = new Map(locations.map((location) => [location.id, location]))
  }

  get levels(): LevelRecord[] {
    return [...this.#levels.values()]
  }

  /** When the last change was made. */
  get lastAt(): number {
    return this.#lastAt
  }

  at(product: number, location: string): number {
    return this.#levels.get(keyOf(product, location))?.quantity ?? 0
  }

  /** Of all locations of a warehouse that are sellable. */
  total(product: number, warehouse: number): number {
    return this.levels
      .filter((level) => level.product === product && level.warehouse === warehouse && level.sellable)
      .reduce((sum, { quantity }) => sum + quantity, 0)
  }

  /** Makes a change, not before the one before it, and returns the index of its movement. */
  change({ change, at: wanted, ...movement }: Change): number {
    const at = Math.max(wanted, this.#lastAt)
    this.#lastAt = at
    const level = this.#level(movement.product, movement.location)
    const next = rounded(level.quantity + change)
    if (next < 0) throw new Error(`${movement.location} would have ${next} of product ${movement.product}`)
    const quantity = movement.type === 'OUT' ? -change : change
    const previous = level.quantity
    Object.assign(level, { previous, quantity: next, updatedAt: at })
    return this.movements.push({ ...movement, at, quantity, previous, next }) - 1
  }

  /** Moves stock between two locations. */
  transfer({
    from,
    to,
    quantity,
    ...rest
  }: {
    at: number
    product: number
    from: string
    to: string
    quantity: number
    reason: string
  }): void {
    this.change({ ...rest, location: from, type: 'TRANSFER', change: -quantity })
    this.change({ ...rest, location: to, type: 'TRANSFER', change: quantity })
  }

  #level(product: number, location: string): LevelRecord {
    const key = keyOf(product, location)
    const known = this.#levels.get(key)
    if (known !== undefined) return known
    const place = this.#locations.get(location)
    if (place === undefined) throw new Error(`There is no location ${location}`)
    const level = {
      product,
      location,
      warehouse: place.warehouse,
      sellable: place.sellable,
      quantity: 0,
      previous: 0,
      updatedAt: 0,
    }
    this.#levels.set(key, level)
    return level
  }
}

const keyOf = (product: number, location: string): string => `${product} ${location}`

/** Quantities have three decimal places. */
const rounded = (quantity: number): number => Math.round(quantity * 1_000) / 1_000
