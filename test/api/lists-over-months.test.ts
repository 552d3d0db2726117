import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { foldAllCounts } from '@fulfillment/server/maintenance.ts'
import { newProduct } from '../support/stock.ts'
import type { TestService, TestTenant } from '../support/service.ts'

/** Several a day from the end of November to the beginning of March; none in the first half of January. */
const CREATED_AT = `'2025-11-28T00:00:00Z'::timestamptz + g * interval '5 hours' + case when g > 165 then interval '15 days' else '0' end`
const RECORDS = 420
const FIRST_DAYS = [
  undefined,
  '2025-11-28',
  '2025-12-01',
  '2025-12-02',
  '2025-12-31',
  '2026-01-01',
  '2026-01-10',
  '2026-02-28',
  '2027-01-01',
]
const LAST_DAYS = [
  undefined,
  '2025-11-27',
  '2025-11-30',
  '2025-12-01',
  '2025-12-31',
  '2026-01-10',
  '2026-01-31',
  '2026-02-14',
  '2026-12-31',
]

/** `filled` is a tenant with these records. */
const it = base.extend('filled', { scope: 'file' }, async ({ service }) => {
  const tenant = await service.newTenant()
  const product = await newProduct(tenant)
  await tenant.request('PUT', `/stock/product/${product.id}`, { location_id: 'A', quantity: 1 })
  const { kysely } = service.db
  const createdAt = sql.raw(CREATED_AT)
  await sql`
    with made as (
      insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity, created_at)
      select ${tenant.id}, 'order ' || g, (array[1, 5])[1 + g % 2], '2026-06-01', w.id, 1, 1, ${createdAt}
      from generate_series(1, ${RECORDS}) g, warehouses w where w.tenant_id = ${tenant.id} returning *
    )
    insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
    select tenant_id, (created_at at time zone 'UTC')::date, assembly_date, state_id, 1 from made`.execute(kysely)
  await sql`
    with made as (
      insert into stock_movements (tenant_id, product_id, location_id, movement_type, quantity, previous_quantity, new_quantity, created_at)
      select ${tenant.id}, ${product.id}, 'A', (array['IN', 'OUT'])[1 + g % 2], 0, 1, 1, ${createdAt} from generate_series(1, ${RECORDS}) g returning *
    )
    insert into movement_count_changes (tenant_id, created_day, product_id, location_id, movement_type, change)
    select tenant_id, (created_at at time zone 'UTC')::date, product_id, location_id, movement_type, 1 from made`.execute(kysely)
  return tenant
})

const periods = FIRST_DAYS.flatMap((first) => LAST_DAYS.map((last) => ({ first, last })))

interface Shown {
  total: number
  ids: string[]
}

async function pagesOf(
  filled: TestTenant,
  path: string,
  list: 'orders' | 'movements',
  limit: number,
  pages: readonly number[],
): Promise<Shown> {
  const ids: string[] = []
  let total = 0
  for (const page of pages) {
    const { data } = (await filled.request('GET', `${path}&limit=${limit}&page=${page}`)).body
    total = data.pagination.total
    ids.push(...(data[list] as { id: number | string }[]).map(({ id }) => String(id)))
  }
  return { total, ids }
}

async function expected(
  service: TestService,
  filled: TestTenant,
  table: string,
  condition: string,
  { first, last }: (typeof periods)[number],
): Promise<string[]> {
  const { rows } = await sql<{ id: number }>`
    select id from ${sql.table(table)} where tenant_id = ${filled.id} and ${sql.raw(condition)}
      and (created_at at time zone 'UTC')::date between coalesce(${first ?? null}::date, '-infinity') and coalesce(${last ?? null}::date, 'infinity')
    order by created_at desc, id desc`.execute(service.db.kysely)
  return rows.map(({ id }) => String(id))
}

const query = ({ first, last }: (typeof periods)[number]): string =>
  `${first === undefined ? '' : `&start_date=${first}`}${last === undefined ? '' : `&end_date=${last}`}`

describe.each([{ folded: false }, { folded: true }])('lists of records of five months, counts folded: $folded', ({ folded }) => {
  it.beforeAll(async ({ service }) => {
    if (folded) while ((await foldAllCounts(service.db)) > 0);
  })

  it('lists the orders of any period with the exact total', async ({ service, filled }) => {
    for (const period of periods) {
      const ids = await expected(service, filled, 'orders', 'state_id = 5', period)
      expect([period, await pagesOf(filled, `/orders?state_id=5${query(period)}`, 'orders', 100, [1, 2, 3])]).toEqual([
        period,
        { total: ids.length, ids },
      ])
    }
  })

  it('lists the movements of any period with the exact total', async ({ service, filled }) => {
    for (const period of periods) {
      const ids = await expected(service, filled, 'stock_movements', `movement_type = 'OUT'`, period)
      const shown = await pagesOf(filled, `/stock/movements?movement_type=OUT${query(period)}`, 'movements', 100, [1, 2, 3])
      expect([period, shown]).toEqual([period, { total: ids.length, ids }])
    }
  })

  it('pages through movements across months', async ({ service, filled }) => {
    const ids = await expected(service, filled, 'stock_movements', 'true', { first: undefined, last: undefined })
    for (const limit of [7, 31, 97]) {
      const pages = Array.from({ length: Math.ceil(ids.length / limit) + 1 }, (_, index) => index + 1)
      expect([limit, await pagesOf(filled, '/stock/movements?', 'movements', limit, pages)]).toEqual([
        limit,
        { total: ids.length, ids },
      ])
    }
  })
})
