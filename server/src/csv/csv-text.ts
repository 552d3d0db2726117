import { guardFormula } from '@fulfillment/codes/formula-guard.ts'
import { stringify } from 'csv-stringify/sync'

/** One row of CSV: its cells by the names of their columns. */
export type CsvRow = object

/** Excel reads a file as UTF-8 only if it begins with this. */
export const BYTE_ORDER_MARK = '\uFEFF'

export interface CsvOptions {
  delimiter: string
  /** Writes cells unchanged, even those that a spreadsheet would run as formulas. */
  raw: boolean
}

/** The line with the names of the columns. */
export function csvHeader(columns: readonly string[], { delimiter }: Pick<CsvOptions, 'delimiter'>): string {
  return stringify([[...columns]], { delimiter })
}

/** Rows as CSV (RFC 4180, with line feeds). */
export function csvLines(rows: readonly CsvRow[], columns: readonly string[], { delimiter, raw }: CsvOptions): string {
  return stringify(
    rows.map((row) => columns.map((column) => cellOf((row as Record<string, unknown>)[column], raw))),
    { delimiter },
  )
}

function cellOf(value: unknown, raw: boolean): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return raw ? value : guardFormula(value)
  return JSON.stringify(value)
}
