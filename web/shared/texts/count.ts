const plurals = new Intl.PluralRules('en')
const numbers = new Intl.NumberFormat('en-US')

/** A number as people read it: "1,284". */
export const grouped = (value: number): string => numbers.format(value)

/** "1 order", "1,284 orders" */
export const count = (value: number, one: string, other: string): string =>
  `${numbers.format(value)} ${plurals.select(value) === 'one' ? one : other}`
