import type { Item } from './import-target.ts'

/** A row of a file: the item that it holds, or what is wrong with it. */
export type Row = { line: number; source: RowSource } & ({ item: Item } | { error: string })

/** A row as it stands in the file, to be written to the file of failed rows. */
export type RowSource = { cells: readonly string[] } | { text: string }

/** How files are read. */
export interface ReadOptions {
  format: 'csv' | 'jsonl'
  /** Of CSV. */
  delimiter: string
  /** Leaves out columns and fields that an item does not have, which are refused otherwise. */
  ignoreUnknown: boolean
}

/** Name of the additional column or field in a file of failed rows; in a file that is read it is left out. */
export const ERROR_FIELD = 'error'

/** No honest row is larger. A quotation mark that is never closed would otherwise make the rest of the file one row. */
export const MAX_ROW_BYTES = 1_048_576
