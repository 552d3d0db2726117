const plurals = new Intl.PluralRules('en')
const numbers = new Intl.NumberFormat('en-US')

/** A number as people read it: "1,284". */
export const grouped = (value: number): string => numbers.format(value)

/** "1 order", "1,284 orders" */
export const count = (value: number, one: string, other: string): string =>
  `${numbers.format(value)} ${plurals.select(value) === 'one' ? one : other}`

/** "1 new event", "50 or more new events" */
export const moreOf = (rows: number, isAll: boolean, one: string, other: string): string =>
  isAll ? count(rows, `new ${one}`, `new ${other}`) : `${grouped(rows)} or more new ${other}`

/** "3 movements", "The last 50 of 1,284 movements" */
export const lastOf = (shown: number, total: number, one: string, other: string): string =>
  shown === total ? count(total, one, other) : `The last ${grouped(shown)} of ${count(total, one, other)}`
