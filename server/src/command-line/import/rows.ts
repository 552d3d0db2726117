import type { Item } from './import-target.ts'

/** A row of a file: its item, or its error. */
export type Row = { line: number; source: RowSource } & ({ item: Item } | { error: string })

/** A row as written in the file, for the file of failed rows. */
export type RowSource = { cells: readonly string[] } | { text: string }

/** Options for reading a file. */
export interface ReadOptions {
  format: 'csv' | 'jsonl'
  /** The delimiter of CSV. */
  delimiter: string
  /** Ignores unknown columns and fields. Without it, they are errors. */
  ignoreUnknown: boolean
}

/** The column or field with the error in a file of failed rows. An import ignores it. */
export const ERROR_FIELD = 'error'

/** Maximum size of a row. Without it, an unclosed quotation mark would make the rest of the file one row. */
export const MAX_ROW_BYTES = 1_048_576
