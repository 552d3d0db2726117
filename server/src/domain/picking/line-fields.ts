import { openQuantity, withTolerance } from '../order-states/index.ts'

/** Fields of an order line, for json_build_object. `line` is the alias of a row of order_lines, `picked` SQL for its picked quantity. */
export function lineFields(line: string, picked: string): string {
  return `'order_detail_id', ${line}.id, 'product_id', ${line}.product_id, 'barcode', ${line}.barcode, 'product_name', ${line}.product_name,
    'quantity', ${line}.quantity, 'picked_quantity', ${picked}, 'remaining', ${openQuantity(line, picked)}`
}

/** SQL for the further fields of a line with a tolerance, as JSON; `otherwise` is SQL for a line without one. */
export function toleranceFields(line: string, picked: string, otherwise: string): string {
  const [least, most] = ['least_to_pick', 'most_to_pick'].map(
    (bound) => `${bound}(${line}.quantity, ${line}.pick_tolerance_percent)`,
  )
  const fields = `'is_fulfilled', ${picked} >= ${least}, 'minimum_quantity', ${least}, 'maximum_quantity', ${most}`
  return withTolerance(line, `jsonb_build_object(${fields})`, otherwise)
}

/** An order line as it is read. `tolerance` is null if the line has none. */
export type LineRow<Line, Tolerance> = Omit<Line, keyof Tolerance> & { tolerance: Tolerance | null }

/** A line as the API shows it. */
export const shownLine = <Line, Tolerance>({ tolerance, ...line }: LineRow<Line, Tolerance>): Line =>
  ({ ...line, ...tolerance }) as Line
