import { open, rm, type FileHandle } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import { ERROR_FIELD, type ReadOptions, type Row } from './rows.ts'

/** A file of the failed rows, unchanged, each with its error. The user corrects them and imports the file. */
export class FailedRows {
  readonly #path: string
  readonly #file: FileHandle
  readonly #options: ReadOptions
  #written = 0
  #columns = 0
  /** Index of the input's column with errors of an earlier import, or -1. */
  #errorColumn = -1

  private constructor(path: string, file: FileHandle, options: ReadOptions) {
    this.#path = path
    this.#file = file
    this.#options = options
  }

  /** Creates the file. Throws when it exists: it may contain rows that are not corrected yet. */
  static async create(path: string, options: ReadOptions): Promise<FailedRows> {
    try {
      return new FailedRows(path, await open(path, 'wx'), options)
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'is there already' : (error as Error).message
      throw new Error(`--errors: ${path} cannot be created: ${reason}`, { cause: error })
    }
  }

  /** Writes the header of a CSV file. */
  async writeHeader(names: readonly string[]): Promise<void> {
    await this.#writeCells([...names.filter((name) => name.trim() !== ERROR_FIELD), ERROR_FIELD])
    this.#errorColumn = names.findIndex((name) => name.trim() === ERROR_FIELD)
    this.#columns = names.length
  }

  async write({ source }: Row, error: string): Promise<void> {
    this.#written++
    if ('text' in source) return this.#writeText(source.text, error)
    const isWhole = source.cells.length === this.#columns
    // Where cells are missing or surplus, nobody knows which these are, and all stay, also those of an earlier error.
    const cells = isWhole ? source.cells.filter((_, index) => index !== this.#errorColumn) : source.cells
    // Such a row must not be of the right length only because of its errors: it would be imported as it is.
    const columns = this.#columns - (this.#errorColumn === -1 ? 0 : 1)
    await this.#writeCells([...cells, ...(!isWhole && cells.length === columns ? [''] : []), error])
  }

  /** Closes the file, and deletes it if it is empty. */
  async close(): Promise<void> {
    await this.#file.close()
    if (this.#written === 0) await rm(this.#path)
  }

  async #writeText(text: string, error: string): Promise<void> {
    await this.#file.write(`${withError(text, error)}\n`)
  }

  async #writeCells(cells: readonly string[]): Promise<void> {
    await this.#file.write(stringify([cells], { delimiter: this.#options.delimiter }))
  }
}

/** Adds the error to a JSON object, in place of an earlier one. Any other text stays unchanged. */
function withError(text: string, error: string): string {
  if (!isObject(text)) return text.trimEnd()
  const kept = membersOf(text).filter((member) => !Object.hasOwn(JSON.parse(`{${member}}`) as object, ERROR_FIELD))
  return `{${[...kept, `"${ERROR_FIELD}":${JSON.stringify(error)}`].join(',')}}`
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

/** The strings of a JSON text, and what nests or separates its values. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],]/g

/** The members of a JSON object as they are written. A parsed and written number could lose digits. */
function membersOf(object: string): string[] {
  const members: string[] = []
  let depth = 0
  let start = object.indexOf('{') + 1
  for (const { 0: token, index } of object.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    const isEnd = depth === 0 || (depth === 1 && token === ',')
    if (!isEnd) continue
    members.push(object.slice(start, index))
    start = index + 1
  }
  return members.filter((member) => member.trim() !== '')
}
