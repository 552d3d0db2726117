import { t } from '../../shared/texts/texts.ts'
import type { CsvTable } from './parse-csv.ts'
import type { RowError } from './row-error.ts'

/** CSV of the rows with errors as they are in the file, each with its errors in a last column, which an import of it leaves out. */
export async function errorFile({ header, rows, delimiter }: CsvTable, errors: readonly RowError[]): Promise<string> {
  const { default: papa } = await import('papaparse')
  const texts = new Map<number, string[]>()
  for (const { row, field, message } of errors) {
    const text = field === undefined ? message : `${field}: ${message}`
    texts.set(row, [...(texts.get(row) ?? []), text])
  }
  const names = [...withoutErrors(header, header), t.import.errorColumn]
  const lines = [...texts].map(([row, messages]) => {
    const cells = withoutErrors(rows[row]?.cells ?? [], header)
    // A row that lacks cells, or has too many, is not one of the right length only because of its errors: it would be imported as it is.
    const isNowRight = cells.length + 1 === names.length && rows[row]?.cells.length !== header.length
    return [...cells, ...(isNowRight ? [''] : []), messages.join('; ')]
  })
  return `${papa.unparse([names, ...lines], { delimiter, newline: '\n' })}\n`
}

/** The cells without those of an earlier column of errors. Where cells are missing or surplus, nobody knows which these are, and all stay. */
function withoutErrors(cells: readonly string[], header: readonly string[]): readonly string[] {
  return cells.length === header.length ? cells.filter((_, column) => header[column] !== t.import.errorColumn) : cells
}
