import pg from 'pg'
import { expect } from 'vitest'
import { clearReservations } from '@fulfillment/server/domain/reservations/clear-reservations.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { it } from '../support/it.ts'

/** Makes active holds of so many lines, each line with a total of its own. */
async function insertHolds({ db }: TestService, { id }: TestTenant, sizes: readonly number[]): Promise<void> {
  await db.dedicatedPool.query(`
    with warehouse as (
      select id from warehouses where tenant_id = ${id} and is_default
    ), size as (
      select lines, number, sum(lines) over (order by number) - lines as before from unnest(array[${sizes.join(', ')}]) with ordinality s (lines, number)
    ), product as (
      insert into products (tenant_id, barcode, name) select ${id}, 'P' || n, 'Product' from generate_series(1, (select sum(lines) from size)) n returning id
    ), total as (
      insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, reserved, held) select ${id}, p.id, w.id, 1, 1, 1 from product p, warehouse w
    ), hold as (
      insert into holds (tenant_id, reference, content_hash, warehouse_id, expires_at, created_by)
      select ${id}, number, '', w.id, now() + interval '1 hour', 'test' from size, warehouse w order by number returning *
    )
    insert into hold_lines (tenant_id, hold_id, line_number, product_id, warehouse_id, quantity, reserved, expires_at)
    select ${id}, h.id, line, (select min(id) from product) + s.before + line - 1, h.warehouse_id, 1, 1, h.expires_at
    from hold h join size s on s.number = h.reference::int cross join generate_series(1, s.lines) line`)
}

/** Removes the reservations of the tenant. Returns what was left after each piece: holds, lines and totals. */
async function cleared({ db }: TestService, { id }: TestTenant): Promise<[holds: number, lines: number, totals: number][]> {
  const left: [holds: number, lines: number, totals: number][] = []
  const look = async (): Promise<true> => {
    const { rows } = await db.dedicatedPool.query(`
      select (select count(*)::int from holds where tenant_id = ${id} and state = 'active') as holds,
        (select count(*)::int from hold_lines where tenant_id = ${id} and reserved > 0) as lines,
        (select count(*)::int from warehouse_stock where tenant_id = ${id} and held > 0) as totals`)
    left.push([rows[0].holds, rows[0].lines, rows[0].totals])
    return true
  }
  expect(await clearReservations(db, { tenantId: id, switches: 1, lease: '' }, look)).toBe(true)
  return left
}

it('holds are released in pieces of about a thousand lines, and totals by the thousand', async ({ service, tenant }) => {
  await insertHolds(service, tenant, [900, 900, 900])
  expect(await cleared(service, tenant)).toEqual([
    [1, 900, 2_700],
    [0, 0, 2_700],
    [0, 0, 1_700],
    [0, 0, 700],
    [0, 0, 0],
  ])
})

it('many holds are released together, and one of more lines than a piece alone', async ({ service, tenant }) => {
  await insertHolds(service, tenant, [...Array.from({ length: 100 }, () => 1), 1_000, 1_000, 1])
  expect((await cleared(service, tenant)).map(([holds, lines]) => [holds, lines]).slice(0, 3)).toEqual([
    [2, 1_001],
    [1, 1],
    [0, 0],
  ])
})

it('a product with stock in many warehouses is cleared in pieces', async ({ service, tenant }) => {
  await insertHolds(service, tenant, [1])
  await service.db.dedicatedPool.query(`
    with warehouse as (
      insert into warehouses (tenant_id, name) select ${tenant.id}, 'W' || n from generate_series(1, 1500) n returning id
    )
    insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, reserved, held)
    select ${tenant.id}, p.id, w.id, 1, 1, 1 from warehouse w cross join products p where p.tenant_id = ${tenant.id}`)
  expect((await cleared(service, tenant)).map(([, , totals]) => totals)).toEqual([1_501, 501, 0])
})

it('holds after one that ends meanwhile are released', async ({ service, tenant }) => {
  await insertHolds(service, tenant, [1_000, 1])
  const call = new pg.Client({ connectionString: service.databaseUrl })
  await call.connect()
  try {
    await call.query('begin')
    await call.query(`update holds set state = 'consumed' where tenant_id = ${tenant.id} and reference = '1'`)
    const clearing = cleared(service, tenant)
    const blocked = 'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))'
    await expect.poll(async () => (await call.query(blocked)).rowCount).toBeGreaterThan(0)
    await call.query('commit')
    expect((await clearing).map(([holds]) => holds).slice(0, 2)).toEqual([1, 0])
  } finally {
    await call.end()
  }
})
