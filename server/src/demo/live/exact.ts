/** A quantity with at most 3 decimal places, without the error of binary fractions. */
export const exact = (quantity: number): number => Number(quantity.toFixed(3))
