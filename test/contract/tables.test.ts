import { readFile } from 'node:fs/promises'
import { expect } from 'vitest'
import { sql } from 'kysely'
import type pg from 'pg'
import { citusScript } from '@fulfillment/server/database/citus-script.ts'
import { it } from '../support/it.ts'

/** Tables that are read before the tenant is known, the shard map, and those of the migrator. */
const SHARED = new Set(['tenants', 'api_keys', 'shards', 'schema_migrations', 'schema_migrations_lock'])

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

it('the script for Citus distributes every tenant table, and is up to date', async ({ service }) => {
  const script = await citusScript(service.db.kysely)
  expect(script.match(/create_distributed_table/g)?.length).toBeGreaterThan(25)
  const committed = await readFile(new URL('../../server/src/database/citus.sql', import.meta.url), 'utf8')
  expect(committed, 'run `npm run generate:citus -w server` and commit the result').toBe(script)
})

it('the script for Citus recreates every foreign key that it drops', async ({ service }) => {
  const read = async (db: Pick<pg.ClientBase, 'query'>) =>
    (
      await db.query(`select conrelid::regclass::text as table, conname, replace(pg_get_constraintdef(oid), ' ON UPDATE CASCADE', '') as definition
      from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace order by 1, 2`)
    ).rows
  const client = await service.db.dedicatedPool.connect()
  try {
    const before = await read(client)
    expect(before.length).toBeGreaterThan(10)
    // The functions of Citus, which do nothing here.
    await client.query(`create function create_reference_table(text) returns void language sql as '';
      create function create_distributed_table(text, text, colocate_with text default null) returns void language sql as ''`)
    await client.query(await citusScript(service.db.kysely))
    expect(await read(client)).toEqual(before)
  } finally {
    client.release()
  }
})
