import type { z } from 'zod'

type Row = Record<string, unknown>

/** The field of a record with its lines, and the lines in it. */
export interface LinesOfRecord {
  field: string
  of: (record: Row) => Row[]
}

/** How records and their lines are rows: the names of the columns, and the rows of a record, one for each line. */
interface LineRows {
  columns: readonly string[]
  rowsOf: (record: Row) => Row[]
}

const OWN_LINES: LinesOfRecord = { field: 'lines', of: ({ lines }) => lines as Row[] }

/** Rows of records with lines: the fields of the record, then those of the line. A field that both have is `line_id` in the line. */
export function lineRows(record: z.ZodObject, line: z.ZodObject, lines = OWN_LINES): LineRows {
  const fields = Object.keys(record.shape).filter((field) => field !== lines.field)
  const columnOf = (field: string): string => (fields.includes(field) ? `line_${field}` : field)
  return {
    columns: [...fields, ...Object.keys(line.shape).map(columnOf)],
    rowsOf: ({ [lines.field]: own, ...rest }) =>
      lines.of({ [lines.field]: own }).map((row) => ({
        ...rest,
        ...Object.fromEntries(Object.entries(row).map(([field, value]) => [columnOf(field), value])),
      })),
  }
}
