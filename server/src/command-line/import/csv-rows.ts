import { pipeline, type Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { columnsOf, valueOf, type Column } from './columns.ts'
import type { ImportTarget, Item } from './import-target.ts'
import { ERROR_FIELD, MAX_ROW_BYTES, type ReadOptions, type Row } from './rows.ts'

/** The rows of a CSV file. Calls `onHeader` with the names of the columns. Throws for an invalid header or invalid syntax. */
export async function* csvRows(
  text: Readable,
  target: ImportTarget,
  { delimiter, ignoreUnknown }: ReadOptions,
  onHeader: (names: string[]) => Promise<void> | undefined,
): AsyncGenerator<Row> {
  const parser = parse({
    delimiter,
    relax_column_count: true,
    max_record_size: MAX_ROW_BYTES,
    // Each, wherever it is. By default, the parser takes the first one that it finds, and others become part of cells.
    record_delimiter: ['\r\n', '\n', '\r'],
  })
  // The error reaches the loop through the parser.
  pipeline(text, parser, () => {})
  let columns: Column[] | undefined
  let header: string[] = []
  let line = 1
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      const startLine = line
      line += linesOf(record)
      // Spreadsheets write the empty rows below a table as separators alone.
      if (record.every((cell) => cell.trim() === '')) continue
      if (columns === undefined) {
        columns = columnsOf(record, target, { ignored: new Set([ERROR_FIELD]), ignoreUnknown })
        header = record.map((name) => name.trim())
        await onHeader(record)
      } else if (isHeader(record, header)) {
        // As where files were joined. It would be a product with the barcode "barcode".
        yield { line: startLine, source: { cells: record }, error: 'is the header again. Remove it' }
      } else {
        yield { line: startLine, source: { cells: record }, ...contentOf(record, columns) }
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const hint = columns === undefined ? `. The delimiter is ${JSON.stringify(delimiter)}; --delimiter sets another one` : ''
    throw new Error(`${syntaxError(error)}${hint}`, { cause: error })
  }
  if (columns === undefined) throw new Error('The file is empty. Its first line must name the columns')
}

function isHeader(cells: readonly string[], header: readonly string[]): boolean {
  return cells.length === header.length && cells.every((cell, index) => cell.trim() === header[index])
}

function contentOf(cells: readonly string[], columns: readonly Column[]): { item: Item } | { error: string } {
  if (cells.length !== columns.length)
    return { error: `has ${cells.length} cells, and the header names ${columns.length} columns` }
  const item: Item = {}
  const problems: string[] = []
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? ''
    if (column === undefined || cell.trim() === '') continue
    try {
      item[column.field] = valueOf(cell, column)
    } catch (error) {
      problems.push(`${column.field}: ${(error as Error).message}`)
    }
  }
  return problems.length === 0 ? { item } : { error: problems.join('; ') }
}

/** Lines of the file that a row takes: a cell can contain line breaks. */
function linesOf(cells: readonly string[]): number {
  return cells.reduce((lines, cell) => lines + cell.split('\n').length - 1, 1)
}

function syntaxError({ code, message }: CsvError): string {
  if (code !== 'CSV_MAX_RECORD_SIZE') return message
  return `A row is longer than ${MAX_ROW_BYTES} bytes (${message}). Is there an unclosed quotation mark?`
}
