/** An order's line, as far as it matters for blockers. */
export interface OpenLine {
  id: number
  product_id: number
  /** Neither picked nor, with `backordered`, waiting for stock. */
  wanted: number
}

/** A level in the order's warehouse, in pick order. */
export interface Level {
  product_id: number
  location_id: string
  quantity: number
  pickable: boolean
}

/** What is wrong with a line, because of where its product lies. */
export interface LineProblem {
  /** More than all levels have. */
  lacking: number
  /** At locations that are not pickable. */
  notPickable: { location_id: string; quantity: number }[]
}

/** Gives the levels to the lines, one after the other, pickable locations first, and returns what is wrong with each line. */
export function problemsOf(lines: readonly OpenLine[], levels: readonly Level[]): Map<number, LineProblem> {
  const inOrder = [...levels.filter(({ pickable }) => pickable), ...levels.filter(({ pickable }) => !pickable)]
  const left = Map.groupBy(
    inOrder.map((level) => ({ ...level })),
    ({ product_id: product }) => product,
  )
  return new Map(lines.map((line) => [line.id, problemOf(line, left.get(line.product_id) ?? [])]))
}

/** `levels` are what is left of those of the line's product. */
function problemOf(line: OpenLine, levels: Level[]): LineProblem {
  let wanted = line.wanted
  const notPickable: LineProblem['notPickable'] = []
  for (let level = levels[0]; level !== undefined && wanted > 0; level = levels[0]) {
    const taken = Math.min(level.quantity, wanted)
    level.quantity = exact(level.quantity - taken)
    wanted = exact(wanted - taken)
    if (!level.pickable) notPickable.push({ location_id: level.location_id, quantity: taken })
    if (level.quantity <= 0) levels.shift()
  }
  return { lacking: wanted, notPickable }
}

/** A quantity with at most 3 decimal places, without the error of binary fractions. */
export const exact = (quantity: number): number => Number(quantity.toFixed(3))
