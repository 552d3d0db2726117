import { downloadText } from '../../../shared/download.ts'
import { t } from '../../../shared/texts/texts.ts'
import { textOfError } from '../../import/cell-text.ts'
import { errorFile } from '../../import/error-file.ts'
import type { Mapping } from '../../import/mapping.ts'
import type { CsvTable } from '../../import/parse-csv.ts'
import type { RowError } from '../../import/row-error.ts'
import { Button } from '../../kit/button.tsx'
import { Section } from '../../kit/screen.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Value } from '../../kit/time.tsx'

const MAX_SHOWN = 200

export interface RowErrorsProps {
  errors: readonly RowError[]
  table: CsvTable
  mapping: Mapping
  fileName: string
}

/** The rows that are not imported, with their lines in the file and what is there, and the way to get them as a file. */
export function RowErrors({ errors, table, mapping, fileName }: RowErrorsProps) {
  const download = async (): Promise<void> => {
    downloadText(await errorFile(table, errors), t.import.downloadName(fileName), 'text/csv')
  }
  const shown = errors.slice(0, MAX_SHOWN).map((error, index) => ({
    ...error,
    index,
    line: table.rows[error.row]?.line ?? 0,
    text: textOfError(error, table, mapping),
  }))
  return (
    <Section title={t.import.errors} actions={<Button onPress={() => void download()}>{t.import.download}</Button>}>
      <Table caption={t.import.errors} columns={COLUMNS} rows={shown} rowKey={({ index }) => index} />
      {errors.length > MAX_SHOWN && <p>{t.import.first(MAX_SHOWN, errors.length)}</p>}
    </Section>
  )
}

const COLUMNS: Column<RowError & { line: number; text: string }>[] = [
  { id: 'line', header: t.import.line, isNumber: true, cell: ({ line }) => line },
  {
    id: 'field',
    header: t.import.field,
    cell: ({ field }) => <Value text={field === undefined ? null : (t.import.fields[field] ?? field)} />,
  },
  { id: 'text', header: t.import.inFile, isWide: true, cell: ({ text }) => <Value text={text} /> },
  { id: 'message', header: t.import.message, isWide: true, cell: ({ message }) => message },
]
