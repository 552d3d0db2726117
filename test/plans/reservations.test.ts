import pg from 'pg'
import { describe, expect } from 'vitest'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { listAvailability } from '@fulfillment/server/domain/reservations/list-availability.ts'
import { listReservations } from '@fulfillment/server/domain/reservations/list-reservations.ts'
import type { Caller, RequestContext } from '@fulfillment/server/procedures/context.ts'
import { it as base } from './it.ts'

const PRODUCTS = 100_000
const LINES = 100_000
const HOLD_LINES = 500
/** Every so many products have no stock, and of so many, somebody waits for some. */
const EMPTY_EACH = 10
const BACKORDERED_EACH = 200
/** Open lines of deliveries to another tenant. They are most lines of their table, as far as Postgres knows. */
const INCOMING_ELSEWHERE = 20_000
const PAGE = { page: 1, limit: 50 }

/** `it` with the context of a tenant that reserves. */
const it = base.extend('context', { scope: 'file' }, async ({ database, recorder }): Promise<RequestContext> => {
  const { id } = await createTenant(database.db, 'large')
  const { id: other } = await createTenant(database.db, 'other')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('set session_replication_role = replica')
  const warehouse = `(select id from warehouses where tenant_id = ${id})`
  for (const text of [
    `insert into tenant_settings (tenant_id, reservation_policy, updated_at) values (${id}, 'track', now())`,
    `insert into products (tenant_id, barcode, external_id, name) select ${id}, 'B' || g, 'S' || g, 'Product ' || g from generate_series(1, ${PRODUCTS}) g`,
    `insert into warehouse_stock (tenant_id, product_id, warehouse_id, quantity, reserved, backordered)
     select ${id}, p.id, ${warehouse}, case when p.id % ${EMPTY_EACH} = 0 then 0 else 5 end, case when p.id % ${EMPTY_EACH} = 0 then 0 else 1 end,
       case when p.id % ${BACKORDERED_EACH} = 0 then 1 else 0 end
     from products p where p.tenant_id = ${id}`,
    `insert into stocked_totals (tenant_id, warehouse_id, count)
     select tenant_id, warehouse_id, count(*) from warehouse_stock where quantity <> 0 group by 1, 2`,
    `insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity)
     select ${id}, 'O' || g, 1, date '2026-12-01' + g % 30, ${warehouse}, 1, 1 from generate_series(1, ${LINES}) g`,
    // A tenth of the lines are of one product.
    `insert into order_reservations (tenant_id, order_id, order_line_id, product_id, warehouse_id, assembly_date, reserved, backordered)
     select ${id}, o.id, o.id, p.id + case when o.id % 10 = 0 then 0 else o.id % ${PRODUCTS} end, o.warehouse_id, o.assembly_date, (o.id % 4 > 0)::int, (o.id % 4 = 0)::int
     from orders o, (select min(id) as id from products where tenant_id = ${id}) p where o.tenant_id = ${id}`,
    `insert into holds (tenant_id, reference, content_hash, warehouse_id, expires_at, created_by)
     select ${id}, 'H' || g, '', ${warehouse}, now() + interval '1 hour', 'test' from generate_series(1, ${HOLD_LINES}) g`,
    `insert into hold_lines (tenant_id, hold_id, line_number, product_id, warehouse_id, quantity, reserved, expires_at)
     select ${id}, h.id, 1, p.id + h.id, h.warehouse_id, 1, 1, h.expires_at
     from holds h, (select min(id) as id from products where tenant_id = ${id}) p where h.tenant_id = ${id}`,
    `insert into inbound_lines (tenant_id, record_id, product_id, warehouse_id, quantity)
     select ${other}, g / 100, g, 1, 1 from generate_series(1, ${INCOMING_ELSEWHERE}) g`,
    'vacuum analyze',
  ])
    await client.query(text)
  await client.end()
  return recorder.contextOf({
    tenantId: id,
    defaultWarehouse: { id: 1, name: 'Main' },
    keyName: 'test',
  } satisfies Partial<Caller>)
})

describe('a page of availability reads about as many totals as it shows, and none to count them', () => {
  it.for([
    ['first', { ...PAGE }, 300],
    ['tenth', { ...PAGE, page: 10 }, 1_500],
    // Those before it are skipped one by one.
    ['hundredth', { ...PAGE, page: 100 }, 6_500],
    ['first of a warehouse', { ...PAGE, warehouse_id: 1 }, 1_100],
    ['first of what somebody waits for', { ...PAGE, backordered: true }, PRODUCTS / BACKORDERED_EACH + 200],
  ] as const)('%s', async ([, query, most], { recorder, context }) => {
    const reads = await recorder.readsOf(() => listAvailability.run(context, { backordered: false, ...query }))
    // The index of what is backordered is read to count products of which nothing else is there.
    expect(reads.rows.warehouse_stock).toBeLessThanOrEqual(most + (2 * PRODUCTS) / BACKORDERED_EACH)
    expect(reads.whole.filter((table) => ['warehouse_stock', 'products', 'hold_lines', 'inbound_lines'].includes(table))).toEqual(
      [],
    )
  })

  it('the first looks once whether anything is incoming, whatever others expect', async ({ recorder, context }) => {
    const reads = await recorder.readsOf(() => listAvailability.run(context, { ...PAGE, backordered: false }))
    expect([reads.rows.inbound_lines, reads.searches.inbound_lines]).toEqual([0, 1])
    expect(reads.searches).toMatchObject({ hold_lines: 0, warehouse_stock: 2, products: 1 })
  })

  it('its total is exact', async ({ context }) => {
    const waiting = PRODUCTS / BACKORDERED_EACH
    const all = await listAvailability.run(context, { ...PAGE, backordered: false })
    const backordered = await listAvailability.run(context, { ...PAGE, backordered: true })
    // The connection returns bigint as text.
    expect([`${all.pagination.total}`, `${backordered.pagination.total}`]).toEqual([
      `${PRODUCTS - PRODUCTS / EMPTY_EACH + waiting}`,
      `${waiting}`,
    ])
  })
})

describe('a page of reservations reads rows for the page alone, and counts the others in an index', () => {
  it.for([
    ['first', {}, LINES + 500],
    ['fourth', { page: 4 }, LINES + 1_000],
    // Far from the beginning, sorting may take less than the order of an index.
    ['hundredth', { page: 100 }, 2 * LINES + LINES / 4],
    ['first of a product', { product_id: 0 }, LINES / 10 + 1_000],
  ] as const)('%s', async ([, query, most], { database, recorder, context }) => {
    const { rows } = await database.db.dedicatedPool.query('select min(product_id)::int as id from order_reservations')
    const [{ id }] = rows as [{ id: number }]
    const input = { ...PAGE, ...query, ...('product_id' in query ? { product_id: id } : {}) }
    const reads = await recorder.readsOf(() => listReservations.run(context, input))
    expect(reads.rows.order_reservations).toBeLessThanOrEqual(most)
    expect(reads.rows.hold_lines).toBeLessThanOrEqual(2 * HOLD_LINES + 100)
    expect(reads.rows.orders).toBeLessThanOrEqual(PAGE.limit)
  })
})
