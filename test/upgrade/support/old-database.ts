import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sql, type Kysely } from 'kysely'
import { Migrator } from 'kysely/migration'
import { inject } from 'vitest'
import { openDatabase, type Database } from '@fulfillment/server/database/database.ts'
import { createDatabase } from '../../support/test-database.ts'

const folder = new URL('../../../server/src/database/migrations/', import.meta.url)

/** The text of a migration. */
export function readMigration(name: string): Promise<string> {
  return readFile(new URL(`${name}.sql`, folder), 'utf8')
}

/** Creates a database with only these migrations, all run in one transaction, as in version 0.1.0. */
export async function databaseAt(migrations: readonly string[]): Promise<{ url: string; db: Database }> {
  const url = await createDatabase(inject('postgresUrl'), `upgrade_${randomBytes(8).toString('hex')}`)
  // One statement fills the database, which takes a long time on a busy machine.
  const db = openDatabase(url, { exclusiveConnections: 4, pipelinedConnections: 1, statementTimeoutMs: 300_000 })
  const up = (name: string) => async (kysely: Kysely<unknown>) => {
    await sql.raw(await readMigration(name)).execute(kysely)
  }
  const migrator = new Migrator({
    db: db.kysely,
    provider: { getMigrations: async () => Object.fromEntries(migrations.map((name) => [name, { up: up(name) }])) },
    migrationTableName: 'schema_migrations',
    migrationLockTableName: 'schema_migrations_lock',
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return { url, db }
}

/** Number of rows that `fill` inserts per table. */
export const ROWS = { products: 2_000, orders: 20_000, order_lines: 40_000, stock_movements: 20_000, events: 20_000 }

// Plain SQL for the tables of 0.1.0: the program itself expects a later schema.
const FILL = `
  insert into tenants (id, name) overriding system value values (1, 'filled');
  insert into warehouses (tenant_id, id, name, is_default) overriding system value values (1, 1, 'Main', true);
  insert into locations (tenant_id, id, code, warehouse_id) values (1, 'A-01', 'A-01', 1);
  insert into products (tenant_id, id, barcode, external_id, name) overriding system value
    select 1, i, 'barcode-' || i, 'SKU-' || i, 'Product ' || i from generate_series(1, ${ROWS.products}) i;
  insert into stock_levels (tenant_id, product_id, location_id, warehouse_id, quantity)
    select 1, i, 'A-01', 1, 10 from generate_series(1, ${ROWS.products}) i;
  insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity)
    select 1, i, 1, 10 from generate_series(1, ${ROWS.products}) i;
  insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity)
    select 1, 1 + i % ${ROWS.products}, 'A-01', 'IN', 1, i / ${ROWS.products}, i / ${ROWS.products} + 1
    from generate_series(0, ${ROWS.stock_movements} - 1) i;
  insert into movement_count_changes (tenant_id, created_day, product_id, location_id, movement_type, change)
    select 1, (created_at at time zone 'UTC')::date, product_id, location_id, movement_type, 1 from stock_movements;
  insert into orders (tenant_id, id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity) overriding system value
    select 1, i, 'ORDER-' || i, (array[1, 2, 5, 7])[1 + i % 4], '2026-12-01', 1, 2, 3 from generate_series(1, ${ROWS.orders}) i;
  insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity)
    select 1, 1 + i / 2, 1 + i % ${ROWS.products}, 'barcode-' || 1 + i % ${ROWS.products}, 'Product', 1 + i % 2
    from generate_series(0, ${ROWS.order_lines} - 1) i;
  insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
    select 1, (created_at at time zone 'UTC')::date, assembly_date, state_id, 1 from orders;
  insert into events (tenant_id, id, topic, body)
    select 1, 'evt_' || lpad(to_hex(pg_current_xact_id()::text::bigint), 12, '0') || lpad(to_hex(nextval('event_sequence')), 12, '0'),
      'order/created', '{}' from generate_series(1, ${ROWS.events});
  select setval(pg_get_serial_sequence('products', 'id'), ${ROWS.products}), setval(pg_get_serial_sequence('orders', 'id'), ${ROWS.orders}),
    setval(pg_get_serial_sequence('warehouses', 'id'), 1), setval(pg_get_serial_sequence('tenants', 'id'), 1)`

/** Fills the database with one tenant and tens of thousands of rows. */
export async function fill({ dedicatedPool }: Database): Promise<void> {
  await dedicatedPool.query(`${FILL}; analyze`)
}

/** A hash per table of the filled rows, in the columns of version 0.1.0. */
export async function fingerprint({ dedicatedPool }: Database): Promise<Record<string, string>> {
  const { rows } = await dedicatedPool.query<Record<string, string>>(`select
    (select md5(string_agg(concat_ws('|', id, barcode, external_id, name, is_active, created_at), ';' order by id)) from products) as products,
    (select md5(string_agg(concat_ws('|', id, order_tenant_id, state_id, assembly_date, items_count, created_at), ';' order by id))
       from orders where id <= ${ROWS.orders}) as orders,
    (select md5(string_agg(concat_ws('|', order_id, product_id, barcode, quantity, picked_quantity), ';' order by order_id, id))
       from order_lines where order_id <= ${ROWS.orders}) as order_lines,
    (select md5(string_agg(concat_ws('|', id, topic, body, created_at), ';' order by id)) from events where topic = 'order/created' and body = '{}') as events`)
  return rows[0]!
}
