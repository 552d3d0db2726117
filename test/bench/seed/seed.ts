/** Numbers of records in the database. */
export interface Sizes {
  products: number
  small: number
  large: number
  /** Number of orders of the large tenant that have lines: the newest ones. */
  withLines: number
}

export const FULL: Sizes = { products: 10_000, small: 1_000, large: 1_000_000, withLines: 100_000 }
export const SHORT: Sizes = { products: 600, small: 1_000, large: 5_000, withLines: 1_000 }

/** Orders in picking, of the tenant that is written to. Line l of order o has product o * lines + l, counted from 0. */
export const PICKED = { orders: 256, lines: 20, quantity: 1_000_000 }

export type Range = readonly [first: number, last: number]

/** The records on one side of the comparison. */
export interface Side {
  /** Orders of the large tenant with lines. */
  orders: Range
  /** Products of the large tenant. */
  products: Range
  /** Products of the tenant that is written to. */
  writtenProducts: Range
  /** Its picking flows. */
  flows: Range
}

/** A tenant of the service. */
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
    /** Has as many products as the large tenant has orders. */
    catalog: SeededTenant
    firstProduct: { small: number; large: number }
  }
}
