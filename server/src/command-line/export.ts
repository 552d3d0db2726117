import { Option, type Command } from 'commander'
import { addApiOptions, connectClient, type ApiOptions } from './api-client.ts'
import { delimiterOf, requireNoneOfCsv } from './delimiter.ts'
import { EXPORT_SOURCES, type ExportSource, type Rows } from './export/export-source.ts'
import { addFilterOptions, errorOfOptions, filtersIn } from './export/filter-options.ts'
import { isBrokenPipe, openOutput, type Output } from './export/output.ts'
import { RECORDS_WITH_LINES } from './export/records-with-lines.ts'
import { csvFormat, JSON_LINES, type RowFormat } from './export/row-format.ts'
import { onInterrupt } from './interruption.ts'
import { startProgress } from './progress.ts'
import { print } from './result.ts'

interface ExportOptions extends ApiOptions, Record<string, unknown> {
  format?: 'csv' | 'jsonl'
  output?: string
  delimiter?: string
  columns?: string
  bom?: boolean
  raw?: boolean
  quiet?: boolean
  json?: boolean
}

export function addExportCommands(program: Command): void {
  const exports = program.command('export').description('Export records of a server to files, over HTTP')
  for (const source of [...EXPORT_SOURCES, ...RECORDS_WITH_LINES]) {
    const command = addApiOptions(exports.command(source.name))
      .description(source.description)
      .addOption(
        new Option('--format <format>', 'default: by the extension of the output file, otherwise csv').choices(['csv', 'jsonl']),
      )
      .option('--output <file>', 'file to write instead of standard output; appears when complete')
      .option('--columns <names>', `comma-separated CSV columns, from ${source.columns.join(',')}`)
      .option('--delimiter <character>', 'CSV delimiter: one character, or tab. Default: a comma', delimiterOf)
      .option('--bom', 'start CSV with a byte order mark, so that Excel reads it as UTF-8')
      .option('--raw', 'write cells unchanged; by default, an apostrophe precedes cells that a spreadsheet would run as formulas')
      .option('--quiet', 'show no progress and no summary')
      .option('--json', 'with --output, print one JSON object: rows, output')
    addFilterOptions(command, source.query).action((options: ExportOptions) => runExport(source, options))
  }
}

async function runExport(source: ExportSource, options: ExportOptions): Promise<void> {
  if (options.json === true && options.output === undefined)
    throw new Error('--json: needs --output, because the export goes to standard output')
  const format = formatOf(source, options)
  const interruption = onInterrupt('Stopping')
  const { signal } = interruption
  try {
    const output = await openOutput(options.output)
    const filters = filtersIn(options, source.query)
    const rows = await connectClient(options, signal)
      .then((client) => exportRows(source.read({ client, filters, signal }), format, output, options))
      .catch((error: unknown) => endBroken(output, errorOfOptions(error, source.query), signal))
    if (rows !== undefined) summarize(rows, options)
  } finally {
    interruption.stopListening()
  }
}

/** Writes all rows and returns their number. */
async function exportRows(
  pages: AsyncIterable<Rows>,
  format: RowFormat,
  output: Output,
  options: ExportOptions,
): Promise<number> {
  const progress = startProgress('rows', options)
  let [records, rows] = [0, 0]
  try {
    // With the first page: an export that fails at once writes nothing.
    let { header } = format
    for await (const page of pages) {
      const { text, rows: added } = format.format(page.rows)
      await output.write(header + text)
      header = ''
      rows += added
      records += page.rows.length
      progress.update(rows, page.total === undefined ? undefined : Math.min(1, records / page.total))
    }
    await output.finish()
  } finally {
    progress.stop()
  }
  return rows
}

/** Discards the output of an aborted or failed export, so that no partial file looks complete. A closed pipe is no error. */
async function endBroken(output: Output, error: unknown, signal: AbortSignal): Promise<undefined> {
  if (isBrokenPipe(error) && !signal.aborted) return
  await output.discard()
  signal.throwIfAborted()
  throw error
}

function summarize(rows: number, options: ExportOptions): void {
  const { output, quiet, json } = options
  if (json === true) print(options, { json: { rows, output }, text: '' })
  else if (quiet !== true) process.stderr.write(`${rows} exported${output === undefined ? '' : ` to ${output}`}\n`)
}

function formatOf(source: ExportSource, options: ExportOptions): RowFormat {
  const { format = /\.(jsonl|ndjson)$/i.test(options.output ?? '') ? 'jsonl' : 'csv', delimiter = ',' } = options
  if (format === 'jsonl') {
    requireNoneOfCsv(options)
    return JSON_LINES
  }
  const columns = options.columns?.split(',').map((name) => name.trim()) ?? source.columns
  const unknown = columns.filter((name) => !source.columns.includes(name))
  if (unknown.length > 0) throw new Error(`--columns: unknown: ${unknown.join(', ')}. Columns: ${source.columns.join(', ')}`)
  return csvFormat(source, { columns, delimiter, bom: options.bom === true, raw: options.raw === true })
}
