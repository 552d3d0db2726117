import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { parse } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { readConfig } from '@fulfillment/server/config.ts'
import type { Database } from '@fulfillment/server/database/database.ts'
import { migrate } from '@fulfillment/server/database/migrate.ts'
import { startServer } from '@fulfillment/server/server.ts'
import { send } from '../support/service.ts'
import { dropDatabase, openTestDatabase } from '../support/test-database.ts'
import { databaseAt, fill, fingerprint, readMigration, ROWS } from './support/old-database.ts'
import { startOldTraffic } from './support/old-traffic.ts'
import { RELEASED, RELEASED_MIGRATIONS } from './support/released-migrations.ts'
import { atMost } from '../support/patience.ts'

/** Far longer than a statement takes on a busy machine, far shorter than a migration may run or wait. */
const LONGEST_WAIT_MS = atMost(1_500)

const folder = new URL('../../server/src/database/migrations/', import.meta.url)

async function oldDatabase(migrations: readonly string[]): Promise<{ url: string; db: Database }> {
  const database = await databaseAt(migrations)
  onTestFinished(async () => {
    await database.db.close()
    await dropDatabase(database.url)
  })
  return database
}

/** A database with all migrations. */
async function migratedDatabase(): Promise<{ url: string; db: Database }> {
  const database = await openTestDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  return database
}

async function startCurrent(databaseUrl: string) {
  const settings = { PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ENCRYPTION_KEY: 'encryption key of the tests' }
  const server = await startServer({ ...readConfig(settings), databaseUrl })
  onTestFinished(() => server.stop())
  return server
}

describe('a released migration', () => {
  it.each(Object.entries(RELEASED_MIGRATIONS))('%s is as it was released', async (name, sha256) => {
    expect(
      createHash('sha256')
        .update(await readMigration(name))
        .digest('hex'),
    ).toBe(sha256)
  })

  it('comes before every one that is not', async () => {
    const names = (await readdir(folder)).map((file) => parse(file).name).toSorted()
    const released = Object.keys(RELEASED_MIGRATIONS)
    expect(names.slice(0, released.length)).toEqual(released)
  })
})

describe('an upgrade while old servers run', () => {
  it.each(Object.keys(RELEASED) as (keyof typeof RELEASED)[])(
    'from %s holds up nothing, keeps every row, and the new version goes on with them',
    async (release) => {
      const { url, db } = await oldDatabase(Object.keys(RELEASED[release]))
      await fill(db)
      const before = await fingerprint(db)
      const traffic = await startOldTraffic(url)
      await delay(300)
      const server = await startCurrent(url)
      await delay(300)
      const { orders, movements, reads, slowestMs } = await traffic.stop()
      expect(slowestMs).toBeLessThan(LONGEST_WAIT_MS)
      expect(Math.min(orders, movements, reads)).toBeGreaterThan(20)
      expect(await fingerprint(db)).toEqual(before)

      const { key } = await insertApiKey(db, 1, 'live', { name: 'test key', scopes: ['admin'] })
      const get = async (path: string) => (await send(`${server.url}/api/v1${path}`, 'GET', undefined, { key })).body.data
      expect((await get('/orders?limit=1')).pagination.total).toBe(ROWS.orders + orders)
      expect((await get('/products?limit=1')).pagination.total).toBe(ROWS.products)
      expect((await get('/products?search=CODE-1999')).products.map(({ id }: { id: number }) => id)).toEqual([1_999])
      expect((await get('/stock/movements?limit=1')).pagination.total).toBe(ROWS.stock_movements + movements)
      expect(await get('/stock/reconcile')).toMatchObject({ is_balanced: true })
    },
  )

  it('has the events in the feed that old servers still write, behind those that were read before', async () => {
    const { url, db } = await oldDatabase(Object.keys(RELEASED['0.1.0']))
    await db.dedicatedPool.query(
      `insert into tenants (id, name) overriding system value values (1, 'filled');
       insert into warehouses (tenant_id, id, name, is_default) overriding system value values (1, 1, 'Main', true)`,
    )
    const oldId = `'evt_' || lpad(to_hex(pg_current_xact_id()::text::bigint), 12, '0') || lpad(to_hex(nextval('event_sequence')), 12, '0')`
    // Like 0.1.0: the queue is the table.
    const writeOld = async (turn: number): Promise<string> => {
      const { rows } = await db.dedicatedPool.query(
        `with recorded as (
           insert into events (tenant_id, id, topic, created_at, body)
           select 1, id, 'product/deleted', clock_timestamp(), '{"id":"' || id || '","event":"product/deleted","created_at":"2026-01-01T00:00:00.000Z","data":{"turn":' || $1::int || '}}'
           from (select ${oldId} as id) e
           returning tenant_id, id, created_at, topic
         )
         insert into event_outbox (tenant_id, event_id, event_created_at, topic) select tenant_id, id, created_at, topic from recorded
         returning event_id`,
        [turn],
      )
      return rows[0].event_id
    }
    const before = await writeOld(0)
    const server = await startCurrent(url)
    const { key } = await insertApiKey(db, 1, 'live', { name: 'test key', scopes: ['admin'] })
    const ask = async (method: string, path: string, body?: unknown) =>
      (await send(`${server.url}/api/v1${path}`, method, body, { key })).body.data
    const ids: string[] = []
    const follow = async (): Promise<void> => {
      const { events } = await ask('GET', `/events${ids.length === 0 ? '' : `?after=${ids.at(-1)}`}`)
      ids.push(...events.map(({ id }: { id: string }) => id))
    }
    await expect.poll(async () => follow().then(() => ids)).toEqual([before])
    const written = [before]
    for (let turn = 1; turn <= 4; turn++) {
      if (turn % 2 === 1) written.push(await writeOld(turn))
      else {
        await ask('POST', '/products', { name: 'Tea', barcode: `tea ${turn}` })
        const { rows } = await db.dedicatedPool.query('select max(id) as id from events')
        written.push(rows[0].id)
      }
      await expect.poll(async () => follow().then(() => ids)).toEqual(written)
    }
    expect(before).toMatch(/^evt_0/)
    expect(written.slice(1).filter((id) => !id.startsWith('evt_1'))).toEqual([])
    expect((await ask('GET', `/events/${written[1]}`)).id).toBe(written[1])
    expect((await ask('GET', `/events/${before}`)).id).toBe(before)
  })

  it('that can not get its lock lets the others pass until it can', async () => {
    // The next migration alters order_lines, which is in constant use.
    const { url, db } = await oldDatabase(['0001_initial', '0002_webhooks'])
    await fill(db)
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    onTestFinished(() => reader.end())
    await reader.query('begin; select from order_lines limit 1')
    const traffic = await startOldTraffic(url)
    const waits: string[] = []
    const migrated = db.withoutTimeLimits((kysely) => migrate(kysely, (line) => waits.push(line)))
    await expect.poll(() => waits.length).toBeGreaterThan(1)
    await reader.query('commit')
    expect(await migrated).toContain('0003_picking')
    const { slowestMs } = await traffic.stop()
    expect(slowestMs).toBeLessThan(LONGEST_WAIT_MS)
    expect(waits[0]).toBe('Migration 0003_picking waits for a lock and will be tried again')
  })
})

describe('a migration that builds indexes', () => {
  const indexes = async (db: Database) =>
    (
      await db.dedicatedPool.query<{ name: string; valid: boolean }>(
        `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
         where indexrelid::regclass::text ~ '^(products_by_text|orders_by_customer_name|events_by_topic)' order by 1`,
      )
    ).rows

  it('can be run again after it was interrupted, and counts what was created meanwhile once', async () => {
    const { url, db } = await oldDatabase([])
    await db.withoutTimeLimits(migrate)
    await db.dedicatedPool.query(`insert into tenants (id, name) overriding system value values (1, 'filled');
      insert into warehouses (tenant_id, name, is_default) values (1, 'Main', true);
      insert into products (tenant_id, barcode, name) values (1, '1', 'Tea'), (1, '2', 'Salt');
      create table events_20260101 (like events including all);
      alter table events attach partition events_20260101 for values from ('2026-01-01 00:00:00+00') to ('2026-01-02 00:00:00+00')`)
    // The state that a process leaves when it is killed while it builds the indexes.
    await db.dedicatedPool.query(`delete from schema_migrations where name >= '0015';
      alter table tenants drop column demo_seed;
      drop table usage_hours; drop table delivery_hours; -- created by later migrations
      drop table movement_product_hours, movement_level_hours, movement_hour_days, pick_changes, pick_hours, pick_days;
      alter table movement_count_changes drop column created_hour, drop column quantity;
      drop table product_barcodes; drop trigger products_refuse_additional_barcodes on products; drop function refuse_additional_barcodes;
      alter table picks drop column operator_email, drop column sent_name;
      drop index locations_by_code;
      drop table flow_assignments;
      drop table stocked_count_changes, stocked_totals;
      drop table inbound_receipts, inbound_lines, inbound, return_receipts, return_lines, returns;
      drop table stock_count_entries, stock_count_lines, stock_counts;
      drop table encryption_check;
      drop table shards;
      drop table moved_tenants, moved_keys, tenant_fences, move_marks; drop function fence_tenant;
      drop table flow_batches; alter table picking_flows drop column batch_id, drop column slot, drop column first_operator_email;
      drop table order_calls, order_events, order_state_changes;
      alter table stock_movements drop column flow_id, drop column pick_id;
      drop index stock_movements_of_order;
      create index stock_movements_by_order on stock_movements (tenant_id, order_id) where order_id is not null;
      alter table products drop column pick_tolerance_percent; -- and the constraints that read it
      alter table order_lines drop column pick_tolerance_percent;
      drop function open_quantity; drop function least_to_pick; drop function most_to_pick;
      alter table order_lines add constraint order_lines_never_over_picked check (picked_quantity between 0 and quantity);
      drop table shipment_lines, shipment_packages, shipments;
      alter table orders drop column has_shipments;
      drop function settle_reservations; drop function judge_orders; drop function lock_totals;
      drop table unsettled_stock, hold_lines, holds, order_reservation_sums, order_reservations, tenant_settings;
      alter table warehouse_stock drop column unsellable, drop column reserved, drop column held, drop column backordered;
      alter table stock_levels drop constraint stock_levels_location_fkey, drop column sellable;
      drop index locations_sellable_key;
      alter table stock_levels add constraint stock_levels_location_fkey foreign key (tenant_id, location_id, warehouse_id)
        references locations (tenant_id, id, warehouse_id) on update cascade;
      alter table locations drop column pickable, drop column sellable, drop column pick_sequence;
      drop table device_operators; drop table devices; drop table operators;
      alter table sessions drop column device_id; alter table sign_in_codes drop column mode;
      drop index orders_to_pick; drop index picking_flows_by_operator;
      drop index orders_by_customer_name; drop index events_by_topic;
      create index events_by_topic on only events (tenant_id, (topic || ' ' || id));
      update pg_index set indisvalid = false where indexrelid = 'products_by_text'::regclass`)
    const before = await indexes(db)
    expect(before.map(({ valid }) => valid)).toEqual([false, false])
    const ran = await Promise.all([1, 2].map(() => db.withoutTimeLimits(migrate)))
    // Each is run by one of the two.
    expect(ran.flat().toSorted()).toEqual([
      '0015_search_indexes.concurrent',
      '0016_usage',
      '0017_operators',
      '0017_queue_indexes.concurrent',
      '0018_location_attributes',
      '0019_locations_sellable_key.concurrent',
      '0019_reservations',
      '0019_reservations_valid.concurrent',
      '0019_settle_reservations',
      '0020_delivery_hours',
      '0021_reports',
      '0022_flow_assignments',
      '0023_availability_counts',
      '0023_availability_indexes.concurrent',
      '0025_inbound',
      '0026_returns',
      '0027_counts',
      '0028_timeline',
      '0028_timeline_indexes.concurrent',
      '0030_barcodes',
      '0030_location_codes.concurrent',
      '0031_catch_weight',
      '0031_catch_weight_valid.concurrent',
      '0032_shipments',
      '0033_flow_batches',
      '0033_flow_batches_index.concurrent',
      '0034_demo_tenants',
      '0035_shards',
      '0036_moving_tenants',
      '0036_moving_tenants_valid.concurrent',
      '0037_hold_contents',
      '0038_movement_levels',
      '0039_encryption_check',
      '0040_first_operators',
      '0041_left_of_holds',
      '0042_active_holds',
    ])
    expect(await indexes(db)).toEqual(
      [
        'events_by_topic',
        'events_by_topic_of_20260101',
        'events_by_topic_of_default',
        'orders_by_customer_name',
        'products_by_text',
      ].map((name) => ({ name, valid: true })),
    )
    const server = await startCurrent(url)
    const { key } = await insertApiKey(db, 1, 'live', { name: 'test key', scopes: ['admin'] })
    const { body } = await send(`${server.url}/api/v1/products`, 'GET', undefined, { key })
    expect(body.data.pagination.total).toBe(2)
  })

  it('lets writers pass while it waits for a transaction of before', async () => {
    const { url, db } = await oldDatabase(['0001_initial', '0002_webhooks', '0003_picking', '0004_trust'])
    await fill(db)
    const reader = new pg.Client({ connectionString: url })
    await reader.connect()
    onTestFinished(() => reader.end())
    await reader.query('begin isolation level repeatable read; select 1 from tenants')
    const traffic = await startOldTraffic(url)
    const migrated = db.withoutTimeLimits(migrate)
    await expect
      .poll(async () => (await indexes(db)).map(({ name, valid }) => [name, valid]))
      .toContainEqual(['products_by_text', false])
    await delay(2_000)
    await reader.query('commit')
    expect(await migrated).toContain('0015_search_indexes.concurrent')
    const { slowestMs, orders } = await traffic.stop()
    expect(slowestMs).toBeLessThan(LONGEST_WAIT_MS)
    expect(orders).toBeGreaterThan(20)
  })
})

describe('a schema that is newer than the program', () => {
  const executed = async (...names: string[]) => {
    const database = await migratedDatabase()
    for (const name of names)
      await database.db.dedicatedPool.query('insert into schema_migrations (name, timestamp) values ($1, now()::text)', [name])
    return database
  }

  it('is used as it is when the new migrations only added to it', async () => {
    const { url, db } = await executed('9998_new_table')
    const lines: string[] = []
    expect(await db.withoutTimeLimits((kysely) => migrate(kysely, (line) => lines.push(line)))).toEqual([])
    expect(lines).toEqual(['The database schema is newer than this version, and fits it still: 9998_new_table'])
    const server = await startCurrent(url)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  })

  it('is refused when one of them took something away', async () => {
    const { url } = await executed('9998_new_table', '9999_old_column.contract')
    await expect(startCurrent(url)).rejects.toThrow(
      'The database schema is too new for this version, which needs what 9999_old_column.contract took away: start the newer version, or restore a backup from before the upgrade',
    )
  })

  it('is refused when it lacks a migration of the program', async () => {
    const { url, db } = await executed('9998_new_table')
    await db.dedicatedPool.query(`delete from schema_migrations where name = '0004_trust'`)
    await expect(startCurrent(url)).rejects.toThrow('it has 9998_new_table and lacks 0004_trust')
  })
})

it('processes that start at once run each migration once', async () => {
  const { db } = await oldDatabase(['0001_initial'])
  const ran = await Promise.all([1, 2, 3].map(() => db.withoutTimeLimits(migrate)))
  const names = (await readdir(folder)).map((file) => parse(file).name).toSorted()
  expect(ran.flat().toSorted()).toEqual(names.slice(1))
})
