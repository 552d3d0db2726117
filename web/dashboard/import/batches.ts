import { isRoundedCode } from '@fulfillment/codes/rounded-code.ts'
import { t } from '../../shared/texts/texts.ts'
import type { ImportTarget, Item } from './import-target.ts'
import { itemOf, type Mapping } from './mapping.ts'
import type { CsvTable } from './parse-csv.ts'
import type { RowError } from './row-error.ts'
import { Turn } from './turn.ts'

const MAX_ITEMS = 500
/** Characters of a batch and of a row, well below the largest body that the server takes. */
const MAX_LENGTH = 1_000_000

type Problem = Omit<RowError, 'row'>

/** Rows that are sent together, by their index in the table. */
export type Batch = readonly number[]

/** The rows that cannot be sent. */
export async function unsendableRows(
  table: CsvTable,
  mapping: Mapping,
  { codes }: ImportTarget,
  signal: AbortSignal,
): Promise<RowError[]> {
  const turn = new Turn(signal)
  const errors: RowError[] = []
  for (const [row, { cells }] of table.rows.entries()) {
    if (turn.isOver) await turn.next()
    const problem = rowProblem(cells, table) ?? roundedCode(cells, mapping, codes)
    if (problem !== undefined) errors.push({ row, ...problem })
  }
  return errors
}

/** Why a row cannot be sent; undefined when it can. */
function rowProblem(cells: readonly string[], { header }: CsvTable): Problem | undefined {
  if (cells.length !== header.length) return { message: t.import.cells(cells.length, header.length) }
  return lengthOf(cells) > MAX_LENGTH ? { message: t.import.longRow } : undefined
}

function roundedCode(cells: readonly string[], mapping: Mapping, codes: ReadonlySet<string>): Problem | undefined {
  const field = mapping.find((name, column) => name !== undefined && codes.has(name) && isRoundedCode(cells[column] ?? ''))
  return field === undefined ? undefined : { field, message: t.import.roundedCode }
}

/**
 * Cuts rows into batches, the same for the same rows. The rows of one record are in one batch, so that a check of the batch, which keeps
 * nothing, sees what the import will see.
 */
export async function batchesOf(
  rows: readonly number[],
  table: CsvTable,
  recordColumn: number,
  signal: AbortSignal,
): Promise<Batch[]> {
  const turn = new Turn(signal)
  const batches: number[][] = []
  let batch: number[] = []
  let length = 0
  for (const index of recordColumn === -1 ? rows : await byRecord(rows, table, recordColumn, turn)) {
    if (turn.isOver) await turn.next()
    const own = lengthOf(table.rows[index]?.cells ?? [])
    if (batch.length === MAX_ITEMS || (batch.length > 0 && length + own > MAX_LENGTH)) {
      batches.push(batch)
      batch = []
      length = 0
    }
    batch.push(index)
    length += own
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

export function itemsOf(batch: Batch, { rows }: CsvTable, mapping: Mapping, target: ImportTarget): Item[] {
  return batch.map((index) => itemOf(rows[index]?.cells ?? [], mapping, target))
}

/** The rows in the order of the first row of their record. Without a list for each record: collecting 200,000 of them stops the page. */
async function byRecord(rows: readonly number[], table: CsvTable, column: number, turn: Turn): Promise<readonly number[]> {
  // By place in `rows`: the next row of the record, and whether it is the first one.
  const next = new Int32Array(rows.length).fill(NONE)
  const isFirst = new Uint8Array(rows.length)
  const lastOf = new Map<string, number>()
  for (const [place, index] of rows.entries()) {
    if (turn.isOver) await turn.next()
    const name = table.rows[index]?.cells[column]?.trim() ?? ''
    const last = lastOf.get(name)
    if (last === undefined) isFirst[place] = 1
    else next[last] = place
    lastOf.set(name, place)
  }
  if (lastOf.size === rows.length) return rows
  const sorted: number[] = []
  for (const [first] of rows.entries()) {
    if (turn.isOver) await turn.next()
    for (let place = isFirst[first] === 1 ? first : NONE; place !== NONE; place = next[place] ?? NONE)
      sorted.push(rows[place] ?? 0)
  }
  return sorted
}

const NONE = -1

function lengthOf(cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + cell.length, 0)
}
