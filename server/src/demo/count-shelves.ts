import { shelfOf } from './places.ts'
import type { Random } from './random.ts'
import { type CountedLine, type CountRecord, dayText, MINUTE_MS } from './records.ts'
import type { StockBook } from './stock-book.ts'

const ENTRY_MS = 40_000

/**
 * Counts products at their shelves in the first warehouse, and posts what differs: a shelf in four or so has one too few or too many. Nothing is
 * counted where there is no stock.
 */
export function countShelves(stock: StockBook, random: Random, products: readonly number[], at: number): CountRecord | undefined {
  const scope = [...new Set(products)].toSorted((a, b) => a - b)
  const found = scope.map((product) => {
    const location = shelfOf(product, 0)
    const expected = stock.at(product, location)
    return { product, location, expected, quantity: Math.max(0, rounded(expected + random.pick([0, 0, 0, -1, 1]))) }
  })
  // Lines are levels above 0, and an entry about another one adds it.
  const lying = found.filter(({ expected, quantity }) => expected > 0 || quantity > 0)
  if (lying.every(({ expected }) => expected === 0)) return undefined
  const createdAt = Math.max(at, stock.lastAt)
  const movementsBefore = stock.movements.length
  const approvedAt = createdAt + (lying.length + 2) * ENTRY_MS
  const lines = lying.map(({ product, location, expected, quantity }, index): CountedLine => {
    const movement = stock.change({
      at: approvedAt,
      product,
      location,
      type: 'ADJUSTMENT',
      change: rounded(quantity - expected),
      reason: 'inventory_count',
    })
    return { product, location, counted: { quantity, expected, at: createdAt + (index + 1) * ENTRY_MS }, movement }
  })
  const locations = [...new Set(found.map(({ location }) => location))]
  return { name: `CC-${dayText(at)}`, createdAt, approvedAt, locations, products: scope, movementsBefore, lines }
}

/** A count of the first shelf with stock that is under way: half of its lines are counted, and nothing moves after it. */
export function beginCount(stock: StockBook, today: number): CountRecord | undefined {
  const levels = stock.levels.filter(({ quantity }) => quantity > 0)
  const shelves = new Set(
    levels.filter(({ product, location }) => location === shelfOf(product, 0)).map(({ location }) => location),
  )
  const [shelf] = [...shelves].toSorted()
  if (shelf === undefined) return undefined
  const createdAt = Math.max(today - 10 * MINUTE_MS, stock.lastAt)
  const lying = levels.filter(({ location }) => location === shelf).toSorted((a, b) => a.product - b.product)
  return {
    name: `CC-${dayText(today)}`,
    createdAt,
    locations: [shelf],
    movementsBefore: stock.movements.length,
    lines: lying.map(({ product, quantity }, index) => ({
      product,
      location: shelf,
      ...(index < lying.length / 2 ? { counted: { quantity, expected: quantity, at: createdAt + index + 1 } } : {}),
    })),
  }
}

/** Quantities have three decimal places. */
const rounded = (quantity: number): number => Math.round(quantity * 1_000) / 1_000
