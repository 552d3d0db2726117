/** What is wrong with the tolerance of a product that is not weighable. */
export const NO_TOLERANCE = 'must be 0, because the product is not weighable'

interface Fields {
  pick_tolerance_percent?: number | null | undefined
}

/** Whether these fields give a product a tolerance. Only a weighable one may have it. */
export const hasTolerance = ({ pick_tolerance_percent: percent }: Fields): boolean => (percent ?? 0) > 0

/** A product as the API shows it: without a tolerance of 0. */
export function withTolerance<Row extends Fields>({ pick_tolerance_percent: percent, ...row }: Row) {
  return percent === 0 || percent === undefined || percent === null ? row : { ...row, pick_tolerance_percent: percent }
}
