import type { DatabaseIntrospector, Kysely, SchemaMetadata, TableMetadata } from 'kysely'

interface Catalog {
  'pg_catalog.pg_class': { oid: number; relname: string; relnamespace: number; relkind: string }
  'pg_catalog.pg_namespace': { oid: number; nspname: string }
}

/**
 * What Kysely's migrator asks of a database: which tables there are. Kysely's own introspector also reads every column of each, and its
 * sequence. The migrator asks twice for each migration, which took longer than the migrations.
 */
export class TableNames implements DatabaseIntrospector {
  readonly #db: Kysely<Catalog>

  constructor(db: Kysely<Catalog>) {
    this.#db = db
  }

  async getSchemas(): Promise<SchemaMetadata[]> {
    return await this.#db.selectFrom('pg_catalog.pg_namespace').select('nspname as name').execute()
  }

  /** Those that a name alone finds, without their columns. */
  async getTables(): Promise<TableMetadata[]> {
    const tables = await this.#db
      .selectFrom('pg_catalog.pg_class as c')
      .innerJoin('pg_catalog.pg_namespace as n', 'n.oid', 'c.relnamespace')
      .select(['c.relname as name', 'n.nspname as schema'])
      .where('c.relkind', 'in', ['r', 'p'])
      // Of another program in the same database there may be tables of the same names.
      .where(({ fn }) => fn<boolean>('pg_table_is_visible', ['c.oid']))
      .execute()
    return tables.map((table) => ({ ...table, isView: false, isForeign: false, columns: [] }))
  }
}
