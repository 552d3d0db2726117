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
  const kept = header.flatMap((name, column) => (name === t.import.errorColumn ? [] : [column]))
  const lines = [...texts].map(([row, messages]) => [
    ...kept.map((column) => rows[row]?.cells[column] ?? ''),
    messages.join('; '),
  ])
  const names = [...kept.map((column) => header[column] ?? ''), t.import.errorColumn]
  return `${papa.unparse([names, ...lines], { delimiter, newline: '\n' })}\n`
}
