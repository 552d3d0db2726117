import { randomUUID } from 'node:crypto'
import { invalidInput } from '../../procedures/invalid-input.ts'
import { patiently } from '../api-client.ts'
import type { Progress } from '../progress.ts'
import { APIError, type FulfillmentClient } from '../sdk.ts'
import type { CreatedLocations } from './created-locations.ts'
import type { FailedRows } from './failed-rows.ts'
import type { ImportTarget, Item } from './import-target.ts'
import type { Row, RowSource } from './rows.ts'

/** The parameters of an import. */
export interface Import {
  target: ImportTarget
  /** Without a client, the rows are only checked. */
  client: FulfillmentClient | undefined
  batchSize: number
  /** Rows before this line of the file are skipped. */
  fromLine: number
  failedRows: FailedRows | undefined
  /** Undefined when the target creates none, or nothing is sent. */
  createdLocations: CreatedLocations | undefined
  progress: Progress
  /** Its abort ends the import after the current batch. */
  signal: AbortSignal
  /** Of the file, in bytes; 0 when it is unknown. */
  size: number
}

/** The result of an import so far. */
export interface Outcome {
  /** Number of items per result, such as `created`. */
  counts: Record<string, number>
  failed: number
  /** The rows up to this line of the file have been applied or have failed. */
  lastLine: number
  /** The lines of a batch that was sent without learning its result: the server may have applied it. */
  unanswered?: Lines | undefined
}

/** Lines of a file. */
export interface Lines {
  first: number
  last: number
}

/** Number of rows that were applied or have failed. */
export function rowsOf({ counts, failed }: Outcome): number {
  return Object.values(counts).reduce((sum, count) => sum + count, failed)
}

/** Invalid rows that are kept until their batch is sent. */
const MAX_INVALID = 100

type Sendable = Row & { item: Item }

/** A row that failed, and why. */
interface Failed {
  row: Row
  error: string
}

/** Sends rows in batches, one batch at a time. Updates `outcome`, which is also correct when this function throws. */
export async function importRows(rows: AsyncIterable<Row>, work: Import, outcome: Outcome): Promise<void> {
  let batch: Sendable[] = []
  // Reported with the batch: an import that goes on after an interruption begins with the rows of a batch that was not sent.
  let invalid: Failed[] = []
  let line = outcome.lastLine
  let bytes = 0
  const finishBatch = async (): Promise<void> => {
    const failed = [...invalid, ...(await sendBatch(batch, work, outcome))].toSorted((a, b) => a.row.line - b.row.line)
    for (const one of failed) await fail(one, work, outcome)
    batch = []
    invalid = []
    outcome.lastLine = line
    work.progress.update(rowsOf(outcome), work.size > 0 ? Math.min(bytes / work.size, 1) : undefined)
    work.signal.throwIfAborted()
  }
  for await (const row of rows) {
    bytes += bytesOf(row.source)
    if (row.line < work.fromLine) continue
    line = row.line
    const checked = check(row, work.target)
    if ('error' in checked) invalid.push({ row, error: checked.error })
    else batch.push({ ...row, item: checked.item })
    if (batch.length === work.batchSize || invalid.length === MAX_INVALID) await finishBatch()
  }
  await finishBatch()
}

/** About as many as the row has in the file. What was read of the file is no measure: a small one is read before its first row is sent. */
function bytesOf(source: RowSource): number {
  return Buffer.byteLength('text' in source ? source.text : source.cells.join()) + 1
}

function check(row: Row, { schema }: ImportTarget): { item: Item } | { error: string } {
  if ('error' in row) return row
  const { error } = schema.safeParse(row.item)
  return error === undefined ? { item: row.item } : { error: invalidInput(error, undefined).message }
}

/** Returns the rows that failed. */
async function sendBatch(batch: readonly Sendable[], work: Import, outcome: Outcome): Promise<Failed[]> {
  const { client, target, signal, createdLocations } = work
  if (batch.length === 0) return []
  if (client === undefined) {
    outcome.counts.valid = (outcome.counts.valid ?? 0) + batch.length
    return []
  }
  await createdLocations?.readBefore(client, signal)
  // All attempts use one key, so a batch whose response was lost is not applied twice.
  const key = randomUUID()
  const items = batch.map(({ item }) => item)
  const noteUnanswered = (error: unknown): never => {
    if (!isRefusal(error)) outcome.unanswered = linesOf(batch)
    throw error
  }
  const { counts, errors } = await patiently(() => target.send(client, items, key).catch(noteUnanswered), signal)
  outcome.unanswered = undefined
  for (const [name, count] of Object.entries(counts)) outcome.counts[name] = (outcome.counts[name] ?? 0) + count
  const failed = new Set(errors.map(({ index }) => index))
  createdLocations?.add(items.filter((_, index) => !failed.has(index)))
  return errors.map(({ index, error }) => ({ row: batch[index] as Sendable, error }))
}

function linesOf(batch: readonly Sendable[]): Lines {
  return { first: batch[0]?.line ?? 0, last: batch.at(-1)?.line ?? 0 }
}

/** Whether the service has refused a request, and therefore applied nothing of it. An earlier attempt can still be running after a conflict. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof APIError) || error.status >= 500) return false
  return error.code !== 'unexpected_response' && error.code !== 'idempotency_conflict'
}

async function fail({ row, error }: Failed, { target, progress, failedRows }: Import, outcome: Outcome): Promise<void> {
  outcome.failed++
  const label = 'item' in row ? ` (${target.labelOf(row.item)})` : ''
  progress.note(`Line ${row.line}${label}: ${error}`)
  await failedRows?.write(row, error)
}
