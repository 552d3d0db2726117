import type { Parser, ParseStepResult } from 'papaparse'
import { t } from '../../shared/texts/texts.ts'
import { FileProblem } from './file-problem.ts'

/** A row of the file, and the line on which it begins. */
export interface CsvRow {
  line: number
  cells: readonly string[]
}

export interface CsvTable {
  header: readonly string[]
  delimiter: string
  rows: readonly CsvRow[]
}

const MAX_ROWS = 200_000
const DELIMITERS = [',', ';', '\t']
/** After this long the page gets a turn. */
const TURN_MS = 8

/** Parses CSV with a header, in short turns. Throws `FileProblem` for what is no table, or too large a one. */
export async function parseCsv(text: string, signal: AbortSignal): Promise<CsvTable> {
  const { default: papa } = await import('papaparse')
  const lines = new Lines()
  let turnBeganAt = performance.now()
  const step = ({ data, errors, meta }: ParseStepResult<string[]>, parser: Parser): void => {
    if (signal.aborted || lines.isFull || errors.some(isFatal)) {
      lines.hasBrokenQuotes ||= errors.some(isFatal)
      parser.abort()
      return
    }
    lines.add(data, meta.delimiter)
    if (performance.now() - turnBeganAt < TURN_MS) return
    parser.pause()
    setTimeout(() => {
      turnBeganAt = performance.now()
      parser.resume()
    })
  }
  await new Promise<void>((resolve, reject) => {
    papa.parse<string[]>(text, { newline: '\n', delimitersToGuess: DELIMITERS, step, complete: () => resolve(), error: reject })
  })
  signal.throwIfAborted()
  return lines.table()
}

// Everything after a quotation mark that is not closed is one cell.
const isFatal = ({ code }: { code: string }): boolean => code === 'MissingQuotes'

class Lines {
  hasBrokenQuotes = false
  readonly #rows: CsvRow[] = []
  #header: CsvRow | undefined
  #delimiter = ','
  #line = 1

  get isFull(): boolean {
    return this.#rows.length > MAX_ROWS
  }

  add(cells: string[], delimiter: string): void {
    const row = { line: this.#line, cells }
    this.#line += cells.reduce((lines, cell) => lines + newlinesIn(cell), 1)
    this.#delimiter = delimiter
    if (cells.length === 1 && cells[0]?.trim() === '') return
    if (this.#header === undefined) this.#header = row
    else this.#rows.push(row)
  }

  table(): CsvTable {
    if (this.hasBrokenQuotes) throw new FileProblem(t.import.openQuote(this.#line))
    if (this.isFull) throw new FileProblem(t.import.tooManyRows(MAX_ROWS))
    if (this.#header === undefined || this.#rows.length === 0) throw new FileProblem(t.import.noRows)
    return { header: this.#header.cells.map((name) => name.trim()), delimiter: this.#delimiter, rows: this.#rows }
  }
}

function newlinesIn(cell: string): number {
  let lines = 0
  for (let at = cell.indexOf('\n'); at !== -1; at = cell.indexOf('\n', at + 1)) lines++
  return lines
}
