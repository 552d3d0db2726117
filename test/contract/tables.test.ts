import { expect } from 'vitest'
import { sql } from 'kysely'
import { it } from '../support/it.ts'

/** Tables that are read before the tenant is known, the shard map with what moves note, and those of the migrator. */
const SHARED = new Set(
  'tenants api_keys shards moved_tenants moved_keys tenant_fences encryption_check schema_migrations schema_migrations_lock'.split(
    ' ',
  ),
)

it('tenant_id leads every primary key, unique key and foreign key', async ({ service }) => {
  const { rows } = await sql<{ key: string; table: string; first_column: string }>`
    select c.relname as table, i.relname as key, a.attname as first_column
    from pg_index x
    join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = x.indkey[0]
    where x.indisunique and c.relnamespace = 'public'::regnamespace
    union all
    select c.relname, f.conname, a.attname
    from pg_constraint f
    join pg_class c on c.oid = f.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
    where f.contype = 'f' and f.connamespace = 'public'::regnamespace`.execute(service.db.kysely)
  expect(rows.length).toBeGreaterThan(40)
  expect(rows.filter(({ table, first_column }) => !SHARED.has(table) && first_column !== 'tenant_id')).toEqual([])
})

it('every table of a tenant has its tenant_id', async ({ service }) => {
  const { rows } = await sql<{ table: string }>`
    select c.relname as table from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)`.execute(
    service.db.kysely,
  )
  expect(rows.map(({ table }) => table).filter((table) => !SHARED.has(table))).toEqual([])
})
