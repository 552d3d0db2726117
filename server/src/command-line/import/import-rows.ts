import { randomUUID } from 'node:crypto'
import { invalidInput } from '../../invalid-input.ts'
import { patiently } from '../api-client.ts'
import type { Progress } from '../progress.ts'
import type { FulfillmentClient } from '../sdk.ts'
import type { FailedRows } from './failed-rows.ts'
import type { ImportTarget, Item } from './import-target.ts'
import type { Row } from './rows.ts'

/** What to do with the rows of a file. */
export interface Import {
  target: ImportTarget
  /** Undefined: the rows are only checked. */
  client: FulfillmentClient | undefined
  batchSize: number
  /** Rows before this line of the file are passed over. */
  fromLine: number
  failedRows: FailedRows | undefined
  progress: Progress
  /** Aborts to end after the batch under way. */
  signal: AbortSignal
  share: () => number | undefined
}

/** What has been done so far. */
export interface Outcome {
  /** Numbers of items by what was done to them. */
  counts: Record<string, number>
  failed: number
  /** All rows up to this line of the file are done. */
  lastLine: number
}

/** Rows that were applied or have failed. */
export function rowsOf({ counts, failed }: Outcome): number {
  return Object.values(counts).reduce((sum, count) => sum + count, failed)
}

type Sendable = Row & { item: Item }

/** Sends rows in batches, one after the other, and keeps count in `outcome`, which is right also when it throws. */
export async function importRows(rows: AsyncIterable<Row>, work: Import, outcome: Outcome): Promise<void> {
  let batch: Sendable[] = []
  let line = outcome.lastLine
  const finishBatch = async (): Promise<void> => {
    await sendBatch(batch, work, outcome)
    batch = []
    outcome.lastLine = line
    work.progress.update(rowsOf(outcome), work.share())
    work.signal.throwIfAborted()
  }
  for await (const row of rows) {
    if (row.line < work.fromLine) continue
    line = row.line
    const checked = check(row, work.target)
    if ('error' in checked) await fail(row, checked.error, work, outcome)
    else batch.push({ ...row, item: checked.item })
    if (batch.length === work.batchSize) await finishBatch()
  }
  await finishBatch()
}

function check(row: Row, { schema }: ImportTarget): { item: Item } | { error: string } {
  if ('error' in row) return row
  const { error } = schema.safeParse(row.item)
  return error === undefined ? { item: row.item } : { error: invalidInput(error, undefined).message }
}

async function sendBatch(batch: readonly Sendable[], work: Import, outcome: Outcome): Promise<void> {
  const { client, target, signal } = work
  if (batch.length === 0) return
  if (client === undefined) {
    outcome.counts.valid = (outcome.counts.valid ?? 0) + batch.length
    return
  }
  // One key for all tries: a batch whose answer was lost is not applied twice.
  const key = randomUUID()
  const items = batch.map(({ item }) => item)
  const { counts, errors } = await patiently(() => target.send(client, items, key), signal)
  for (const [name, count] of Object.entries(counts)) outcome.counts[name] = (outcome.counts[name] ?? 0) + count
  for (const { index, error } of errors) await fail(batch[index] as Sendable, error, work, outcome)
}

async function fail(row: Row, error: string, { target, progress, failedRows }: Import, outcome: Outcome): Promise<void> {
  outcome.failed++
  const label = 'item' in row ? ` (${target.labelOf(row.item)})` : ''
  progress.note(`Line ${row.line}${label}: ${error}`)
  await failedRows?.write(row, error)
}
