import { memo } from 'react'
import { t } from '../../../shared/texts/texts.ts'
import { shortText } from '../../import/cell-text.ts'
import type { ImportTarget } from '../../import/import-target.ts'
import { fieldGivenTwice, type Mapping, missingFields } from '../../import/mapping.ts'
import type { CsvTable } from '../../import/parse-csv.ts'
import { Section } from '../../kit/screen.tsx'
import { Select } from '../../kit/select.tsx'
import { type Column, Table } from '../../kit/table.tsx'
import { Value } from '../../kit/time.tsx'

const EXAMPLES = 3
const LEFT_OUT = ''

export interface ColumnsProps {
  table: CsvTable
  mapping: Mapping
  target: ImportTarget
  onMapping: (mapping: Mapping) => void
}

interface ColumnRow {
  position: number
  name: string
  examples: string
  field: string
  options: readonly { value: string; label: string }[]
  onField: (field: string) => void
}

/** Says which field each column of the file is. Not drawn again with each batch of a check: that takes longer than the batch. */
export const Columns = memo(({ table, mapping, target, onMapping }: ColumnsProps) => {
  const options = [LEFT_OUT, ...target.fields].map((value) => ({ value, label: labelOf(value) }))
  const rows = table.header.map((name, position) => ({
    position,
    name: name === '' ? t.import.unnamed(position + 1) : name,
    examples: examplesOf(table, position),
    field: mapping[position] ?? LEFT_OUT,
    options,
    onField: (field: string) => onMapping(mapping.with(position, field === LEFT_OUT ? undefined : field)),
  }))
  const problem = problemOf(mapping, target)
  return (
    <Section title={t.import.columns}>
      <Table caption={t.import.columns} columns={COLUMNS} rows={rows} rowKey={({ position }) => position} />
      {problem !== undefined && <p role="status">{problem}</p>}
    </Section>
  )
})

const COLUMNS: Column<ColumnRow>[] = [
  { id: 'column', header: t.import.column, isWide: true, cell: ({ name }) => name },
  { id: 'examples', header: t.import.examples, isWide: true, cell: ({ examples }) => <Value text={examples || null} /> },
  {
    id: 'field',
    header: t.import.field,
    cell: ({ name, field, options, onField }) => (
      <Select label={t.import.fieldOf(name)} isLabelHidden options={options} value={field} onChange={onField} />
    ),
  },
]

/** Whether the columns are enough for an import. */
export function isMapped(mapping: Mapping, target: ImportTarget): boolean {
  return problemOf(mapping, target) === undefined
}

function problemOf(mapping: Mapping, target: ImportTarget): string | undefined {
  const twice = fieldGivenTwice(mapping)
  if (twice !== undefined) return t.import.twice(labelOf(twice))
  const missing = missingFields(mapping, target)
  if (missing.length === 0) return undefined
  return t.import.missing(missing.map((group) => group.map(labelOf).join(t.import.or)).join(', '))
}

const labelOf = (field: string): string => (field === LEFT_OUT ? t.import.leaveOut : (t.import.fields[field] ?? field))

function examplesOf({ rows }: CsvTable, position: number): string {
  return rows
    .slice(0, EXAMPLES)
    .map(({ cells }) => shortText(cells[position] ?? ''))
    .filter((cell) => cell !== '')
    .join(', ')
}
