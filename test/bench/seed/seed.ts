/** How much there is in the database. */
export interface Sizes {
  products: number
  small: number
  large: number
  /** The newest orders of the large tenant, which have lines. */
  withLines: number
}

export const FULL: Sizes = { products: 10_000, small: 1_000, large: 1_000_000, withLines: 100_000 }
export const SHORT: Sizes = { products: 600, small: 1_000, large: 5_000, withLines: 1_000 }

export type Range = readonly [first: number, last: number]

/** Where to find things on one side of the comparison. */
export interface Side {
  /** Orders of the large tenant that have lines. */
  orders: Range
  /** Products of the large tenant. */
  products: Range
  /** Products of the tenant that is written to. */
  writtenProducts: Range
}

/** A tenant of ours. */
export interface SeededTenant {
  id: number
  key: string
}

export interface Seed {
  sizes: Sizes
  bare: Side
  service: Side & {
    small: SeededTenant
    large: SeededTenant
    written: SeededTenant
    firstProduct: { small: number; large: number }
  }
}
