import { InvalidArgumentError, Option, type Command } from 'commander'
import { addApiOptions, connectClient, type ApiOptions } from './api-client.ts'
import { delimiterOf, requireNoneOfCsv } from './delimiter.ts'
import { CreatedLocations } from './import/created-locations.ts'
import { describeFields, fieldsOf } from './import/columns.ts'
import { csvRows } from './import/csv-rows.ts'
import { FailedRows } from './import/failed-rows.ts'
import { importRows, rowsOf, type Import, type Lines, type Outcome } from './import/import-rows.ts'
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
  let failure: Error | undefined
  try {
    const rows =
      read.format === 'jsonl'
        ? jsonRows(text, target, read)
        : csvRows(text, target, read, (names) => failedRows?.writeHeader(names))
    await importRows(rows, { ...work, progress, size }, outcome)
  } catch (error) {
    failure = error as Error
  } finally {
    progress.stop()
  }
  const ending = failure === undefined ? 'complete' : signal.aborted ? 'interrupted' : 'failed'
  if (ending === 'interrupted') process.exitCode = INTERRUPTED_EXIT_CODE
  if (outcome.failed > 0) process.exitCode ??= 1
  if (ending !== 'failed' || rowsOf(outcome) > 0) print(work, summaryOf(outcome, work.createdLocations, ending))
  if (ending === 'failed') throw new Error(`${failure?.message}\n${goOn(outcome)}`, { cause: failure })
}

type Ending = 'complete' | 'interrupted' | 'failed'

function summaryOf(outcome: Outcome, locations: CreatedLocations | undefined, ending: Ending) {
  const { failed, counts, lastLine } = outcome
  const rows = rowsOf(outcome)
  const done = Object.entries({ ...counts, failed }).map(([name, count]) => `${count} ${name}`)
  const created = locations?.ids ?? []
  const text = `${rows} ${rows === 1 ? 'row' : 'rows'}: ${done.join(', ')}${created.length === 0 ? '' : `\nCreated locations: ${listOf(created)}`}`
  const createdJson = locations === undefined ? {} : { created_locations: locations.ids }
  return {
    json: { rows, ...counts, failed, last_line: lastLine, interrupted: ending !== 'complete', ...createdJson },
    text: ending === 'interrupted' ? `Interrupted. ${text}\n${goOn(outcome)}` : text,
  }
}

/** What an import that ended early has done, and where to continue. */
function goOn(outcome: Outcome): string {
  const { lastLine, unanswered } = outcome
  const isBegun = rowsOf(outcome) > 0
  if (!isBegun && unanswered === undefined) return 'Nothing was imported'
  const sentences = [
    ...(isBegun ? [`Lines up to ${lastLine} are done`] : []),
    ...(unanswered === undefined ? [] : [`${textOf(unanswered)} may have been applied`]),
    `Continue with --from-line ${lastLine + 1}`,
  ]
  return sentences.join('. ')
}

const textOf = ({ first, last }: Lines): string => (first === last ? `Line ${first}` : `Lines ${first} to ${last}`)

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
