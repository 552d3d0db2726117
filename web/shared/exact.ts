const PER_UNIT = 1_000

/** A quantity with at most three decimals: sums of such quantities have more in binary. */
export const exact = (quantity: number): number => Math.round(quantity * PER_UNIT) / PER_UNIT
