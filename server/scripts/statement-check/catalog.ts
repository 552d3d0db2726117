import type pg from 'pg'

export interface Column {
  name: string
  /** Name in `pg_type`, such as `int8` or `_text`. */
  type: string
  isNullable: boolean
  /** True when an insert may omit the column. */
  hasDefault: boolean
}

interface Procedure {
  name: string
  isStrict: boolean
  isVolatile: boolean
}

/** A table or a view. */
export interface Table {
  schema: string
  name: string
  /** The `relkind` of `pg_class`: `r` table, `p` partitioned table, `v` view, `S` sequence. */
  kind: string
  /** The columns by their numbers. */
  columns: ReadonlyMap<number, Column>
}

/** The tables, types and functions in the catalog of the migrated database. */
export interface Catalog {
  /** Tables and views by their oids. */
  tables: ReadonlyMap<number, Table>
  types: ReadonlyMap<number, string>
  procedures: ReadonlyMap<number, Procedure>
}

/** Reads the catalog, without partitions. */
export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const columns = await client.query<{ relation: number; schema: string; table: string; kind: string; number: number } & Column>(
    `select c.oid as relation, c.relnamespace::regnamespace::text as schema, c.relname as table, c.relkind as kind, a.attnum as number, a.attname as name, t.typname as type,
       not a.attnotnull as "isNullable", a.atthasdef or a.attidentity <> '' as "hasDefault"
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped join pg_type t on t.oid = a.atttypid
     where c.relkind in ('r', 'p', 'v', 'S') and not c.relispartition`,
  )
  const tables = new Map<number, Table & { columns: Map<number, Column> }>()
  for (const { relation, schema, table, kind, number, ...column } of columns.rows) {
    const known = tables.get(relation) ?? { schema, name: table, kind, columns: new Map<number, Column>() }
    tables.set(relation, known)
    known.columns.set(number, column)
  }
  const types = await client.query<{ id: number; name: string }>('select oid as id, typname as name from pg_type')
  const procedures = await client.query<{ id: number } & Procedure>(
    `select oid as id, proname as name, proisstrict as "isStrict", provolatile = 'v' as "isVolatile" from pg_proc`,
  )
  return {
    tables,
    types: new Map(types.rows.map(({ id, name }) => [id, name])),
    procedures: new Map(procedures.rows.map(({ id, ...procedure }) => [id, procedure])),
  }
}
