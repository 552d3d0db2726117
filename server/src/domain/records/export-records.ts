import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import type { Scope } from '../../procedures/context.ts'
import {
  exportedList,
  type ExportedList,
  rowsToScan,
  type ScannedRow,
  scanList,
  scanned,
} from '../../procedures/exported-list.ts'
import { piecesOfLines } from '../../procedures/pieces-of-lines.ts'
import { conditionsOf, type Filter, type RecordFilters } from './list-records.ts'
import { lineRows } from '../../csv/line-rows.ts'

type RecordWithLines = Record<string, unknown>

/** Records `r` of a table that are exported with their lines. */
interface ExportedRecords {
  name: string
  scope: Scope
  query: z.ZodObject
  table: string
  filters: RecordFilters
  /** SQL for the number of a record's lines. */
  lineCount: string
  /** SQL for a record with its lines as JSON. */
  json: string
  schemas: { record: z.ZodObject; line: z.ZodObject }
}

/** Defines the export of records: a row for each line, newest record first, as of the time when the record is read. */
export function exportedRecords({ name, scope, query, table, filters, lineCount, json, schemas }: ExportedRecords): ExportedList {
  const scan = statement<
    [tenantId: number, positionAt: string, positionId: number, limit: number, ...filters: Filter[]],
    ScannedRow & { id: number | null; line_count: number | null }
  >({
    name: `export_${name}`,
    connection: 'slow',
    sql: `with ${scanned({
      source: `select id, created_at from ${table}
     where tenant_id = $1 and (created_at, id) < ($2::timestamptz, $3::bigint) order by created_at desc, id desc limit $4::bigint`,
      record: `select r.id, ${lineCount} as line_count from ${table} r
     where r.tenant_id = $1 and r.id = n.id and ${conditionsOf(filters, 5)} limit 1`,
      columns: 'r.id, r.line_count',
    })}`,
  })
  const read = statement<[tenantId: number, ids: number[]], { record: RecordWithLines }>({
    name: `export_lines_of_${name}`,
    connection: 'slow',
    // A record has at least one line.
    notNull: ['record'],
    sql: `select ${json} as record from ${table} r where r.tenant_id = $1 and r.id = any ($2::bigint[]) order by r.created_at desc, r.id desc`,
  })
  const { columns, rowsOf } = lineRows(schemas.record, schemas.line)
  return exportedList({
    name,
    scope,
    query,
    columns,
    async *read(db: Queryable, tenantId, given) {
      const values = Object.keys(filters).map((filter) => given[filter] as Filter | undefined)
      const limit = rowsToScan(values)
      const batches = scanList(limit, ({ at, id }) =>
        db.run(scan, [tenantId, at, id, limit, ...values.map((value) => value ?? null)]),
      )
      for await (const rows of batches)
        for (const ids of piecesOfLines(rows.filter(isFound), ({ line_count }) => line_count ?? 0))
          yield (await db.run(read, [tenantId, ids])).flatMap(({ record }) => rowsOf(record))
    },
  })
}

const isFound = <Row extends { id: number | null }>(row: Row): row is Row & { id: number } => row.id !== null
