/** A quantity with at most three decimals: sums of such quantities have more in binary. */
export const exact = (quantity: number): number => Math.round(quantity * 1_000) / 1_000
