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
    const cells = Array.from({ length: Math.max(this.#columns, source.cells.length) }, (_, index) => source.cells[index] ?? '')
    await this.#writeCells([...cells.filter((_, index) => index !== this.#errorColumn), error])
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

/** Adds the error to a JSON object. Any other text stays unchanged. */
function withError(text: string, error: string): string {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return JSON.stringify({ ...value, [ERROR_FIELD]: error })
  } catch {
    // The text is not JSON.
  }
  return text.trimEnd()
}
