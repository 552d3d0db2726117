import { InvalidArgumentError, Option, type Command } from 'commander'
import { addApiOptions, connectClient, type ApiOptions } from './api-client.ts'
import { delimiterOf, requireNoneOfCsv } from './delimiter.ts'
import { CreatedLocations } from './import/created-locations.ts'
import { describeFields, fieldsOf } from './import/columns.ts'
import { csvRows } from './import/csv-rows.ts'
import { FailedRows } from './import/failed-rows.ts'
import { importRows, rowsOf, type Import, type Outcome } from './import/import-rows.ts'
import { IMPORT_TARGETS, type ImportTarget } from './import/import-target.ts'
import { openInput, type InputFile } from './import/input-file.ts'
import { jsonRows } from './import/json-rows.ts'
import type { ReadOptions } from './import/rows.ts'
import { INTERRUPTED_EXIT_CODE, onInterrupt } from './interruption.ts'
import { startProgress } from './progress.ts'
import { listOf, print } from './result.ts'

interface ImportOptions extends ApiOptions {
  format?: 'csv' | 'jsonl'
  delimiter?: string
  ignoreUnknown?: boolean
  batchSize: number
  fromLine: number
  dryRun?: boolean
  errors?: string
  quiet?: boolean
  json?: boolean
}

export function addImportCommands(program: Command): void {
  const imports = program.command('import').description('Import files into a server, over HTTP')
  for (const target of IMPORT_TARGETS) {
    addApiOptions(imports.command(target.name))
      .description(target.description)
      .argument('<file>', '.csv or .jsonl file, or - for standard input')
      .addOption(new Option('--format <format>', 'format, if the file name does not show it').choices(['csv', 'jsonl']))
      .option('--delimiter <character>', 'CSV delimiter: one character, or tab. Default: a comma', delimiterOf)
      .option('--ignore-unknown', 'skip unknown columns; by default they are an error')
      .option('--batch-size <items>', 'items per request, from 1 to 1000', integerFrom(1, 1_000), 100)
      .option('--from-line <line>', 'start at this line of the file', integerFrom(1, Number.MAX_SAFE_INTEGER), 1)
      .option('--dry-run', 'check the file and send nothing')
      .option('--errors <file>', 'write failed rows to this new file, for correction and another import')
      .option('--quiet', 'show no progress')
      .option(
        '--json',
        `print one JSON object: rows, failed, last_line, interrupted, ${target.createsLocations ? 'created_locations, ' : ''}and the number of items by result`,
      )
      .addHelpText('after', `\nColumns: ${describeFields(fieldsOf(target))}\nAn empty cell omits the field.`)
      .action((file: string, options: ImportOptions) => runImport(target, file, options))
  }
}

async function runImport(target: ImportTarget, path: string, options: ImportOptions): Promise<void> {
  const { delimiter = ',', ignoreUnknown = false } = options
  const read: ReadOptions = { format: formatOf(path, options), delimiter, ignoreUnknown }
  if (read.format === 'jsonl') requireNoneOfCsv(options)
  const interruption = onInterrupt('Stopping after the current batch. Press Ctrl-C again to stop immediately')
  const { signal } = interruption
  const input = await openInput(path, signal)
  let failedRows: FailedRows | undefined
  try {
    const client = options.dryRun === true ? undefined : await connectClient(options, signal)
    failedRows = options.errors === undefined ? undefined : await FailedRows.create(options.errors, read)
    const createdLocations = target.createsLocations && client !== undefined ? new CreatedLocations() : undefined
    await importFile(input, read, { ...options, target, client, failedRows, createdLocations, signal })
  } finally {
    // An open standard input would keep the command alive.
    input.text.destroy()
    interruption.stopListening()
    await failedRows?.close()
  }
}

type FileImport = ImportOptions & Omit<Import, 'progress' | 'size'>

async function importFile({ text, size }: InputFile, read: ReadOptions, work: FileImport): Promise<void> {
  const { target, failedRows, signal } = work
  const progress = startProgress('rows', work)
  const outcome: Outcome = { counts: {}, failed: 0, lastLine: work.fromLine - 1 }
  try {
    const rows =
      read.format === 'jsonl'
        ? jsonRows(text, target, read)
        : csvRows(text, target, read, (names) => failedRows?.writeHeader(names))
    await importRows(rows, { ...work, progress, size }, outcome)
  } catch (error) {
    if (!signal.aborted) throw new Error(`${(error as Error).message}\n${progressText(outcome)}`, { cause: error })
    process.exitCode = INTERRUPTED_EXIT_CODE
  } finally {
    progress.stop()
  }
  if (outcome.failed > 0) process.exitCode ??= 1
  print(work, summaryOf(outcome, work.createdLocations, signal.aborted))
}

function summaryOf(outcome: Outcome, locations: CreatedLocations | undefined, interrupted: boolean) {
  const { failed, counts, lastLine } = outcome
  const rows = rowsOf(outcome)
  const done = Object.entries({ ...counts, failed }).map(([name, count]) => `${count} ${name}`)
  const created = locations?.ids ?? []
  const text = `${rows} rows: ${done.join(', ')}${created.length === 0 ? '' : `\nCreated locations: ${listOf(created)}`}`
  const createdJson = locations === undefined ? {} : { created_locations: locations.ids }
  return {
    json: { rows, ...counts, failed, last_line: lastLine, interrupted, ...createdJson },
    text: interrupted ? `Interrupted. ${text}\n${goOn(lastLine)}` : text,
  }
}

function progressText(outcome: Outcome): string {
  return rowsOf(outcome) === 0 ? 'Nothing was sent' : goOn(outcome.lastLine)
}

const goOn = (lastLine: number): string => `Lines up to ${lastLine} are done. Continue with --from-line ${lastLine + 1}`

function formatOf(path: string, { format }: ImportOptions): 'csv' | 'jsonl' {
  if (format !== undefined) return format
  if (/\.(csv|tsv|txt)$/i.test(path) || path === '-') return 'csv'
  if (/\.(jsonl|ndjson)$/i.test(path)) return 'jsonl'
  throw new Error(`--format: is required, because ${path} ends neither in .csv nor in .jsonl`)
}

function integerFrom(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`must be an integer from ${min} to ${max}`)
    return value
  }
}
