/**
 * SQL for the quantity of an order line that is still to be picked: 0 once the line is fulfilled, although a tolerance may allow further picks.
 * `line` is the alias of a row of order_lines, `picked` SQL for its picked quantity.
 */
export const openQuantity = (line: string, picked = `${line}.picked_quantity`): string =>
  withTolerance(
    line,
    `open_quantity(${line}.quantity, ${picked}, ${line}.pick_tolerance_percent)`,
    `${line}.quantity - ${picked}`,
  )

/** SQL for a value that depends on whether an order line has a tolerance. Other lines don't pay for its functions. */
export const withTolerance = (line: string, value: string, otherwise: string): string =>
  `case when ${line}.pick_tolerance_percent = 0 then ${otherwise} else ${value} end`
