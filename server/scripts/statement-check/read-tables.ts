import type pg from 'pg'
import type { Catalog, Table } from './catalog.ts'
import { describe } from './describe.ts'
import { Nullability } from './nullability.ts'

/** Tables of the migrator. */
const NOT_OF_THE_SERVICE = new Set(['schema_migrations', 'schema_migrations_lock'])
const KINDS = new Set(['r', 'p', 'v'])

/** The tables and views of the service by name. The nullable columns of a view are found from its query. */
export async function readTables(client: pg.Client, catalog: Catalog): Promise<Map<string, Table>> {
  const tables = new Map<string, Table>()
  for (const table of catalog.tables.values()) {
    if (table.schema !== 'public' || !KINDS.has(table.kind) || NOT_OF_THE_SERVICE.has(table.name)) continue
    tables.set(table.name, table.kind === 'v' ? await withNullsOfView(client, catalog, table) : table)
  }
  return tables
}

async function withNullsOfView(client: pg.Client, catalog: Catalog, view: Table): Promise<Table> {
  const { query } = await describe(client, `select * from ${view.name}`)
  const nulls = new Nullability(catalog, { isNullable: () => true, hasNullElements: () => true }).columnsOf(query)
  const columns = [...view.columns].map(
    ([number, column], index) => [number, { ...column, isNullable: nulls[index] ?? true }] as const,
  )
  return { ...view, columns: new Map(columns) }
}
