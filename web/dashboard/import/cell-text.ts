import type { Mapping } from './mapping.ts'
import type { CsvTable } from './parse-csv.ts'
import type { RowError } from './row-error.ts'

const MAX_LENGTH = 40

/** What the file says where an error is: the cell of its field, or the whole row when the error has no field. Empty without such a column. */
export function textOfError({ row, field }: RowError, { rows }: CsvTable, mapping: Mapping): string {
  const cells = rows[row]?.cells ?? []
  return field === undefined ? shortText(cells.join(', ')) : shortText(cells[mapping.indexOf(field)] ?? '')
}

/** The beginning of a text, on one line. */
export function shortText(text: string): string {
  // A cell may be very long, and only its beginning is looked at.
  const begin = text.trimStart().slice(0, 10 * MAX_LENGTH)
  const line = begin.replaceAll(/\s+/g, ' ').trimEnd()
  if (line.length <= MAX_LENGTH && begin.length < 10 * MAX_LENGTH) return line
  // Not half of a character that has two units.
  return `${line.slice(0, MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`
}
