import { BYTE_ORDER_MARK, csvHeader, csvLines } from '../../csv/csv-text.ts'
import type { ExportSource, Row } from './export-source.ts'

/** A text format for rows. */
export interface RowFormat {
  /** Text before the first row. */
  header: string
  format(records: Row[]): { text: string; rows: number }
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
  format: (records) => ({ text: records.map((record) => `${JSON.stringify(record)}\n`).join(''), rows: records.length }),
}

/** CSV with a header. */
export function csvFormat({ rowsOf }: Pick<ExportSource, 'rowsOf'>, options: CsvOptions): RowFormat {
  const { columns, bom } = options
  return {
    header: `${bom ? BYTE_ORDER_MARK : ''}${csvHeader(columns, options)}`,
    format: (records) => {
      const rows = rowsOf === undefined ? records : records.flatMap(rowsOf)
      return { text: csvLines(rows, columns, options), rows: rows.length }
    },
  }
}
