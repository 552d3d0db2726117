import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject } from 'vitest'
import { readCatalog } from '../../server/scripts/statement-check/catalog.ts'
import { connectDescriber, describe as describeStatement } from '../../server/scripts/statement-check/describe.ts'
import { connectionProblem } from '../../server/scripts/statement-check/connection-problem.ts'
import { Nullability } from '../../server/scripts/statement-check/nullability.ts'
import type { ConnectionKind } from '@fulfillment/server/database/statements/statement.ts'
import { it as base } from '../support/it.ts'
import { openTestDatabase } from '../support/test-database.ts'

const SCRIPT = fileURLToPath(new URL('../../server/scripts/check-statements.ts', import.meta.url))

/** Runs the check on databases. */
function check(...databaseUrls: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, ...databaseUrls], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

/** `it` with the analysis of a statement by Postgres; `problem`, the problem of a statement with a kind of connection; and `changed`, a database with changed columns. */
const it = base
  .extend('changed', async ({}, { onCleanup }) => {
    const changed = await openTestDatabase(inject('postgresUrl'))
    onCleanup(() => changed.drop())
    await changed.db.dedicatedPool.query(
      `alter table locations rename column code to label; alter table warehouses alter column name drop not null;
       alter table orders alter column shipping_address type bytea using null`,
    )
    return changed
  })
  .extend('describer', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    const describer = await connectDescriber(database.url)
    onCleanup(() => describer.end())
    return describer
  })
  .extend('catalog', { scope: 'file' }, async ({ describer }) => await readCatalog(describer))
  .extend(
    'problem',
    async ({ describer, catalog }) =>
      async (connection: ConnectionKind, sql: string): Promise<string | undefined> =>
        connectionProblem(connection, await describeStatement(describer, sql), catalog),
  )

describe('npm run check:statements', () => {
  // One run, because it takes most of its time to read the sources.
  it('passes for every statement on a migrated database, and reports those that a changed column breaks', async ({
    database,
    changed,
  }) => {
    const { code, stdout, stderr } = await check(database.url, changed.url)
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^(\d{3} statements checked), 0 problems found\n\1, [1-9]\d* problems found\n$/),
    ])
    // Renamed.
    expect(stderr).toMatch(
      /^list_locations \(\S+list-locations\.ts:\d+\): Postgres refuses it: column \S*code\S* does not exist$/m,
    )
    expect(stderr).toMatch(/^update_location \(/m)
    expect(stderr).toMatch(/^Schema: locations\.code is declared, the database has no such column$/m)
    // May be null.
    expect(stderr).toMatch(/^insert_warehouse \(\S+\): its column name may be null, but is declared as string$/m)
    expect(stderr).toMatch(/^find_key \(\S+\): its column warehouse_name may be null, but is declared as string$/m)
    expect(stderr).toMatch(/^Schema: warehouses\.name may be null, but is declared as string$/m)
    // Of another type.
    expect(stderr).toMatch(/^insert_orders \(\S+\): Postgres refuses it: column "shipping_address" is of type bytea/m)
    expect(stderr).toMatch(/^Schema: orders\.shipping_address is bytea, but is declared as string \| null$/m)
  })
})

describe('the analysis of a statement by Postgres', () => {
  it.for<[reason: string, sql: string]>([
    ['ModifyTable', `with gone as (delete from products where tenant_id = $1 returning id) select id from gone`],
    ['LockRows', `select id from orders where tenant_id = $1 for share`],
    ['pg_advisory_xact_lock()', `select pg_advisory_xact_lock($1)`],
    ['nextval()', `select nextval('orders_id_seq')`],
    ['command', `lock table tenants`],
  ])('the connection read is wrong for %s', async ([reason, sql], { problem }) => {
    expect(await problem('read', sql)).toContain(reason)
    expect(await problem('slow', sql)).toContain(reason)
    expect(await problem('write', sql)).toBeUndefined()
  })

  it('rejects the connection write for a read, even if its text contains an update', async ({ problem }) => {
    const sql = `select 'insert into update' as text, clock_timestamp() as now from orders where tenant_id = $1`
    expect(await problem('read', sql)).toBeUndefined()
    for (const connection of ['write', 'bulk', 'unsynced'] as const)
      expect(await problem(connection, sql)).toContain('only reads')
  })

  const NULLS = { isNullable: () => true, hasNullElements: () => true }
  const NO_NULLS = { isNullable: () => false, hasNullElements: () => false }

  it.for<[nullable: boolean, sql: string]>([
    [false, 'select id from orders'],
    [true, 'select customer_name from orders'],
    [false, 'select customer_name from orders where customer_name is not null'],
    [false, 'select customer_name from orders where customer_name = $1'],
    [true, 'select customer_name from orders where customer_name = $1 or id = 1'],
    [false, `select coalesce(customer_name, '') from orders`],
    [true, 'select coalesce(customer_name, null) from orders'],
    [true, 'select p.id from orders o left join products p on p.id = o.id'],
    [false, 'select o.id from orders o left join products p on p.id = o.id'],
    [true, 'select o.id from orders o right join products p on p.id = o.id'],
    [false, 'select p.id from orders o left join products p on p.id = o.id where p.id > $1'],
    [true, 'select x.id from (select p.id from orders o left join products p on p.id = o.id) x'],
    [false, 'select count(*) from orders'],
    [true, 'select max(id) from orders'],
    [false, 'select sum(items_count) from orders group by tenant_id'],
    [true, 'select sum(state_picking_id) from orders group by tenant_id'],
    [true, 'select sum(items_count) filter (where id > 1) from orders group by tenant_id'],
    [true, 'select (select id from orders limit 1)'],
    [false, 'select (select count(*) from orders)'],
    [false, 'select exists (select from orders)'],
    [true, 'select case when id > 1 then id end from orders'],
    [false, 'select case when id > 1 then id else 0 end from orders'],
    [false, 'with x as (insert into orders default values returning id) select id from x'],
    [true, 'with x as (insert into orders default values returning customer_name) select customer_name from x'],
    [true, 'select id from orders union all select null'],
    [false, 'select id from orders union all select 1'],
    [false, 'with recursive n (i) as (select 1 union all select i + 1 from n) select i from n'],
    [false, 'select total + 1 from (values (1), (2)) v (total)'],
    [true, 'select total from (values (1), (null)) v (total)'],
    [true, `select '{}'::jsonb ->> 'a'`],
    [false, 'select json_build_object($$a$$, customer_name) from orders'],
    [true, 'select lag(id) over () from orders'],
    [false, 'select row_number() over () from orders'],
    // Of a view: as its own query says.
    [true, 'select completed_at from webhook_deliveries'],
    [false, 'select event_id from webhook_deliveries'],
  ])('a column is nullable: %s, %s', async ([nullable, sql], { describer, catalog }) => {
    const { query } = await describeStatement(describer, sql)
    expect(new Nullability(catalog, NO_NULLS).columnsOf(query)).toEqual([nullable])
  })

  it('treats a column as nullable if it is a nullable parameter', async ({ describer, catalog }) => {
    const { query } = await describeStatement(describer, 'select $1::int, x from unnest($2::text[]) x')
    expect(new Nullability(catalog, NO_NULLS).columnsOf(query)).toEqual([false, false])
    expect(new Nullability(catalog, NULLS).columnsOf(query)).toEqual([true, true])
  })
})
