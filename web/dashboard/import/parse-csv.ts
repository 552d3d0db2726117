import type { Parser, ParseResult } from 'papaparse'
import { t } from '../../shared/texts/texts.ts'
import { FileProblem } from './file-problem.ts'
import { Turn } from './turn.ts'

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
/**
 * Characters that are parsed at once. Papa Parse looks through all the text that it is given, for quotation marks and again for each delimiter
 * that it tries, and does so again each time it goes on after a pause: with the whole of a large file, that is longer than any turn.
 */
const PIECE_LENGTH = 131_072

/** Parses CSV with a header, in short turns. Throws `FileProblem` for what is no table, or too large a one. */
export async function parseCsv(text: string, signal: AbortSignal): Promise<CsvTable> {
  const { default: papa } = await import('papaparse')
  const lines = new Lines()
  const turn = new Turn(signal)
  const chunk = ({ data, errors, meta }: ParseResult<string[]>, parser: Parser): void => {
    const broken = errors.find(isFatal)
    lines.hasBrokenQuotes = broken !== undefined
    for (const cells of data.slice(0, broken?.row)) if (!lines.isFull) lines.add(cells, meta.delimiter)
    if (signal.aborted || lines.isFull || lines.hasBrokenQuotes) {
      parser.abort()
      return
    }
    const resume = (): void => parser.resume()
    parser.pause()
    // Where the work is to end, the next piece ends it.
    void turn.next().then(resume, resume)
  }
  await new Promise<void>((resolve, reject) => {
    papa.parse<string[]>(text, {
      newline: '\n',
      delimitersToGuess: DELIMITERS,
      chunkSize: PIECE_LENGTH,
      chunk,
      complete: () => resolve(),
      error: reject,
    })
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
    // Spreadsheets write the empty rows below a table as separators alone.
    if (cells.every((cell) => cell.trim() === '')) return
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
