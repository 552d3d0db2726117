import { exact } from '../../shared/exact.ts'

/** Stock of a line's product at a location. */
export interface Level {
  location_id: string
  location_code: string
  quantity: number
  /** Position in the pick order. Absent: after the locations that have one. */
  pick_sequence?: number | undefined
}

/** A line with what is left to pick of it. */
export interface OpenLine {
  order_detail_id: number
  product_id: number
  left: number
  levels: readonly Level[]
}

/** A quantity of a line at a location. Without a location, stock does not suffice. */
export interface Stop {
  /** Line and location. */
  key: string
  order_detail_id: number
  product_id: number
  location: { id: string; code: string; sequence?: number | undefined } | undefined
  quantity: number
}

export interface StopOptions {
  /** A location from which lines are taken before their fullest one. */
  first?: string | undefined
  /** Keys of stops that come last, in their order. */
  skipped?: readonly string[]
  /** The lines are those of several orders: what lies together is taken together. */
  isBatch?: boolean
}

const natural = new Intl.Collator('en', { numeric: true })

/**
 * The stops of a flow in the pick order: by the sequence of their locations, then those without one in the natural order of their codes. A
 * line is taken from its fullest location first, so that stops are few. Lines of one product share its stock.
 *
 * In a batch, products are taken from their locations in the pick order, from each all that it has, as the server proposes; the stops of a
 * product at a location follow one another, in the order of the lines.
 */
export function stopsOf(lines: readonly OpenLine[], { first, skipped = [], isBatch = false }: StopOptions = {}): Stop[] {
  const stock = new Map<string, number>()
  for (const { product_id, levels } of lines)
    for (const { location_id, quantity } of levels) stock.set(stockKey(product_id, location_id), quantity)
  const ranks = new Map(skipped.map((key, index) => [key, index]))
  const rank = ({ key }: Stop): number => ranks.get(key) ?? -1
  const byProduct = (one: Stop, other: Stop): number => (isBatch ? one.product_id - other.product_id : 0)
  return lines
    .flatMap((line) => stopsOfLine(line, stock, { first, isBatch }))
    .toSorted((one, other) => rank(one) - rank(other) || byLocation(one, other) || byProduct(one, other))
}

const stockKey = (productId: number, locationId: string): string => `${productId} ${locationId}`

function stopsOfLine(line: OpenLine, stock: Map<string, number>, { first, isBatch }: StopOptions): Stop[] {
  if (line.left <= 0) return []
  const available = ({ location_id }: Level): number => stock.get(stockKey(line.product_id, location_id)) ?? 0
  const order = (one: Level, other: Level): number =>
    Number(other.location_id === first) - Number(one.location_id === first) ||
    (isBatch === true ? bySequence(locationOf(one), locationOf(other)) : available(other) - available(one))
  const stops: Stop[] = []
  let { left } = line
  for (const level of line.levels.toSorted(order)) {
    const quantity = Math.min(left, available(level))
    if (quantity <= 0) continue
    stock.set(stockKey(line.product_id, level.location_id), exact(available(level) - quantity))
    left = exact(left - quantity)
    stops.push(stop(line, locationOf(level), quantity))
  }
  if (left > 0) stops.push(stop(line, undefined, left))
  return stops
}

type StopLocation = NonNullable<Stop['location']>

const locationOf = ({ location_id, location_code, pick_sequence }: Level): StopLocation => ({
  id: location_id,
  code: location_code,
  sequence: pick_sequence,
})

function stop({ order_detail_id, product_id }: OpenLine, location: Stop['location'], quantity: number): Stop {
  return { key: stopKey(order_detail_id, location?.id), order_detail_id, product_id, location, quantity }
}

/** The key of a line's stop at a location. */
export const stopKey = (orderDetailId: number, locationId = ''): string => `${orderDetailId}@${locationId}`

/** Stops without a location come last. */
function byLocation({ location: one }: Stop, { location: other }: Stop): number {
  if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined)
  return bySequence(one, other)
}

function bySequence(one: StopLocation, other: StopLocation): number {
  const [first = Number.MAX_VALUE, second = Number.MAX_VALUE] = [one.sequence, other.sequence]
  return first - second || natural.compare(one.code, other.code)
}
