import { open, rm, type FileHandle } from 'node:fs/promises'
import { stringify } from 'csv-stringify/sync'
import { ERROR_FIELD, type ReadOptions, type Row } from './rows.ts'

/** A file of the rows that failed, as they were in the input, each with its error: to be mended and imported again. */
export class FailedRows {
  readonly #path: string
  readonly #file: FileHandle
  readonly #options: ReadOptions
  #written = 0
  #columns = 0
  /** Where the input has the errors of an earlier import, or -1. */
  #errorColumn = -1

  private constructor(path: string, file: FileHandle, options: ReadOptions) {
    this.#path = path
    this.#file = file
    this.#options = options
  }

  /** Makes the file. Throws when there is one already: it may hold what was not mended yet. */
  static async create(path: string, options: ReadOptions): Promise<FailedRows> {
    try {
      return new FailedRows(path, await open(path, 'wx'), options)
    } catch (error) {
      const reason = (error as NodeJS.ErrnoException).code === 'EEXIST' ? 'is there already' : (error as Error).message
      throw new Error(`--errors: ${path} cannot be made: ${reason}`, { cause: error })
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
    const cells = Array.from({ length: Math.max(this.#columns, source.cells.length) }, (_, index) => source.cells[index] ?? '')
    await this.#writeCells([...cells.filter((_, index) => index !== this.#errorColumn), error])
  }

  /** Leaves no empty file behind. */
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

/** What is no JSON object is left as it is. */
function withError(text: string, error: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return JSON.stringify({ ...value, [ERROR_FIELD]: error })
  } catch {
    // Not JSON at all.
  }
  return text.trimEnd()
}
