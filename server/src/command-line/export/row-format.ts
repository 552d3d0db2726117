import { stringify } from 'csv-stringify/sync'
import { guardFormula } from '../formula-guard.ts'
import type { ExportSource, Row } from './export-source.ts'

/** A text format for rows. */
export interface RowFormat {
  /** Text before the first row. */
  header: string
  format(records: Row[]): string
}

/** Options of the CSV format. */
export interface CsvOptions {
  columns: readonly string[]
  delimiter: string
  /** Writes a byte order mark: without it, Excel does not recognise UTF-8. */
  bom: boolean
  /** Writes cells unchanged, even those that a spreadsheet would run as formulas. */
  raw: boolean
}

/** JSON lines: one API record per line. */
export const JSON_LINES: RowFormat = {
  header: '',
  format: (records) => records.map((record) => `${JSON.stringify(record)}\n`).join(''),
}

/** CSV with a header (RFC 4180, with line feeds). */
export function csvFormat({ rowsOf }: Pick<ExportSource, 'rowsOf'>, { columns, delimiter, bom, raw }: CsvOptions): RowFormat {
  const write = (rows: string[][]): string => stringify(rows, { delimiter })
  const cells = (row: Row): string[] => columns.map((column) => cellOf(row[column], raw))
  return {
    header: `${bom ? '\uFEFF' : ''}${write([[...columns]])}`,
    format: (records) => write((rowsOf === undefined ? records : records.flatMap(rowsOf)).map(cells)),
  }
}

function cellOf(value: unknown, raw: boolean): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return raw ? value : guardFormula(value)
  return JSON.stringify(value)
}
