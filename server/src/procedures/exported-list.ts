import type { z } from 'zod'
import type { CsvRow } from '../csv/csv-text.ts'
import type { Queryable } from '../database/database.ts'
import type { Scope } from './context.ts'
import { invalidInput } from './invalid-input.ts'

/** A list that the dashboard exports as CSV. */
export interface ExportedList {
  /** `orders`: also the beginning of the file's name. */
  name: string
  /** The scope that reads the list. */
  scope: Scope
  columns: readonly string[]
  /** Reads all rows that match the filters, in batches. Throws `validation_error`. */
  read(db: Queryable, tenantId: number, filters: object): AsyncGenerator<readonly CsvRow[]>
}

interface Definition<Query extends z.ZodType> extends Omit<ExportedList, 'read'> {
  /** The query of the list's endpoint; its pages don't matter. */
  query: Query
  read(db: Queryable, tenantId: number, query: z.output<Query>): AsyncGenerator<readonly CsvRow[]>
}

/** Defines an exported list. */
export function exportedList<Query extends z.ZodType>({ query, read, ...rest }: Definition<Query>): ExportedList {
  return {
    ...rest,
    read: (db, tenantId, filters) => {
      const { data, error } = query.safeParse(filters)
      if (error !== undefined) throw invalidInput(error, undefined)
      return read(db, tenantId, data)
    },
  }
}

/** Rows that a statement of an export reads without filters: these are all in the export. */
const UNFILTERED_ROWS = 1_000
/** With filters, many of the rows that it reads may not be in the export. */
const FILTERED_ROWS = 10_000

/** How many rows a statement of an export reads. Its time depends on them, and not on how many of them match. */
export function rowsToScan(filters: readonly unknown[]): number {
  return filters.some((filter) => filter !== undefined && filter !== false) ? FILTERED_ROWS : UNFILTERED_ROWS
}

/** A place in a list ordered by `created_at` and `id`, newest first: before it are those that were read. */
export interface ListPosition {
  /** As Postgres writes it: a JavaScript date would lose the microseconds. */
  at: string
  id: number
}

const START: ListPosition = { at: 'infinity', id: Number.MAX_SAFE_INTEGER }

/** A row that `scanned` selects: a record that matches, or the last one that was read. */
export interface ScannedRow {
  /** How many records were read. */
  scanned: number
  position_at: string
  position_id: number
}

/** Reads a list in batches, newest first, each beginning after the last record that the one before it has read. */
export async function* scanList<Row extends ScannedRow>(
  limit: number,
  readAfter: (position: ListPosition) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let position = START
  for (;;) {
    const rows = await readAfter(position)
    yield rows
    const last = rows.at(-1)
    if (last === undefined || last.scanned < limit) return
    position = { at: last.position_at, id: last.position_id }
  }
}

/**
 * SQL that reads `limit` records of `source`, a relation of `id` and `created_at` in the order of the list, and selects `columns` of those
 * for which the lateral query `record` has a row, and the position of the last one in any case. It is the end of a statement.
 */
export function scanned({ source, record, columns }: { source: string; record: string; columns: string }): string {
  return `read as materialized (
     ${source}
   ), numbered as (
     select id, created_at, count(*) over () as scanned, row_number() over (order by created_at, id) = 1 as is_last from read
   )
   select n.scanned, n.created_at::text as position_at, n.id as position_id, ${columns}
   from numbered n left join lateral (${record}) r on true
   where r.id is not null or n.is_last
   order by n.created_at desc, n.id desc`
}
