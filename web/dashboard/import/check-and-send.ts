import { t } from '../../shared/texts/texts.ts'
import { client } from '../data/client.ts'
import { type Batch, batchesOf, itemsOf, unsendableRows } from './batches.ts'
import type { ImportTarget, Item } from './import-target.ts'
import type { KeptImport, KeptProgress } from './kept-import.ts'
import type { Mapping } from './mapping.ts'
import type { CsvTable } from './parse-csv.ts'
import { type RowError, rowErrors } from './row-error.ts'
import { sendPatiently } from './send-patiently.ts'

export const NOTHING_DONE: KeptProgress = { batches: 0, rows: 0, created: 0, changed: 0, refused: [] }

/** What a check has found so far. */
export interface Checked {
  /** Rows checked, of `total`. */
  rows: number
  total: number
  created: number
  changed: number
  errors: readonly RowError[]
  retryAt?: number | undefined
}

/** Checks all rows. Those that cannot be sent at all are errors from the start. */
export async function checkRows(
  table: CsvTable,
  mapping: Mapping,
  target: ImportTarget,
  signal: AbortSignal,
  onProgress: (progress: Partial<Checked>) => void,
): Promise<Checked> {
  onProgress({ rows: 0, total: table.rows.length, created: 0, changed: 0, errors: [] })
  const unsendable = await unsendableRows(table, mapping, target, signal)
  const rows = goodRows(table, unsendable)
  const checked = { rows: unsendable.length, total: table.rows.length, created: 0, changed: 0, errors: [...unsendable] }
  onProgress(checked)
  for (const batch of await batchesOf(rows, table, recordColumn(mapping, target), signal)) {
    const items = itemsOf(batch, table, mapping, target)
    const outcome = await sendPatiently(
      () => target.check(client, items, { signal }),
      signal,
      (retryAt) => onProgress({ retryAt }),
    )
    checked.rows += batch.length
    checked.created += outcome.created
    checked.changed += outcome.changed
    checked.errors.push(...errorsOf(batch, outcome.errors, items, target))
    onProgress({ ...checked, retryAt: undefined })
  }
  return { ...checked, errors: checked.errors.toSorted((a, b) => a.row - b.row), retryAt: undefined }
}

interface Sending {
  table: CsvTable
  kept: KeptImport
  target: ImportTarget
  /** Ends the request under way, too. */
  signal: AbortSignal
  /** Ends it between two requests. */
  pausing: AbortSignal
  onWait: (until: number | undefined) => void
}

/** Sends the good rows, from the first batch on that is not done. Each batch is one request, however often it is tried. */
export async function sendRows(
  { table, kept, target, signal, pausing, onWait }: Sending,
  done: KeptProgress,
  onBatch: (progress: KeptProgress) => Promise<void>,
): Promise<KeptProgress> {
  let progress = done
  const end = AbortSignal.any([signal, pausing])
  const batches = await batchesOf(goodRows(table, kept.bad), table, recordColumn(kept.mapping, target), end)
  for (const [number, batch] of batches.entries()) {
    if (number < done.batches) continue
    const items = itemsOf(batch, table, kept.mapping, target)
    const options = { idempotencyKey: `import-${kept.id}-${number}`, signal }
    const outcome = await sendPatiently(() => target.send(client, items, options), end, onWait)
    progress = {
      batches: number + 1,
      rows: progress.rows + batch.length,
      created: progress.created + outcome.created,
      changed: progress.changed + outcome.changed,
      refused: [...progress.refused, ...errorsOf(batch, outcome.errors, items, target)],
    }
    await onBatch(progress)
  }
  return progress
}

/** The errors of a batch. Of a number with a decimal comma, the server says that it is a text: a person must hear how to write it. */
function errorsOf(
  batch: Batch,
  errors: readonly { index: number; error: string }[],
  items: readonly Item[],
  { numbers }: ImportTarget,
): RowError[] {
  return errors.flatMap(({ index, error }) =>
    rowErrors(batch[index] ?? 0, error).map((one) => {
      const isText = one.field !== undefined && numbers.has(one.field) && typeof items[index]?.[one.field] === 'string'
      return isText ? { ...one, message: t.states.noNumber } : one
    }),
  )
}

/** The rows without an error, by their index. */
export function goodRows({ rows }: CsvTable, bad: readonly RowError[]): number[] {
  const badRows = new Set(bad.map(({ row }) => row))
  return [...rows.keys()].filter((row) => !badRows.has(row))
}

const recordColumn = (mapping: Mapping, { recordField }: ImportTarget): number =>
  recordField === undefined ? -1 : mapping.indexOf(recordField)
