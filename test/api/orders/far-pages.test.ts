import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it as base } from '../../support/it.ts'
import type { TestService, TestTenant } from '../../support/service.ts'

/** Orders of the newer of two days. More than a page skips on a shared connection. */
const OF_NEWER_DAY = 12_000
const OF_OLDER_DAY = 2_000
const LIMIT = 100

/** `busy` is a tenant with many orders a day, in two states. */
const it = base.extend('busy', { scope: 'file' }, async ({ service }) => {
  const tenant = await service.newTenant()
  await sql`
    with made as (
      insert into orders (tenant_id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity, created_at)
      select ${tenant.id}, 'order ' || g, (array[1, 5])[1 + g % 2], '2026-06-01', w.id, 1, 1,
        '2026-03-31T00:00:00Z'::timestamptz + case when g <= ${OF_OLDER_DAY} then '0' else interval '1 day' end + g % 1000 * interval '1 minute'
      from generate_series(1, ${OF_OLDER_DAY + OF_NEWER_DAY}) g, warehouses w where w.tenant_id = ${tenant.id} returning *
    )
    insert into order_count_changes (tenant_id, created_day, assembly_date, state_id, change)
    select tenant_id, (created_at at time zone 'UTC')::date, assembly_date, state_id, count(*) from made group by 1, 2, 3, 4`.execute(
    service.db.kysely,
  )
  return tenant
})

async function idsOf(service: TestService, busy: TestTenant, condition: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from orders where tenant_id = ${busy.id} and ${sql.raw(condition)} order by created_at desc, id desc`.execute(
    service.db.kysely,
  )
  return rows.map(({ id }) => id)
}

describe('pages far from the beginning, of days with many orders', () => {
  it.for([
    ['all orders', '', 'true'],
    ['a state', '&state_id=5', 'state_id = 5'],
    ['a period', '&start_date=2026-03-31&end_date=2026-04-01', 'true'],
    ['an assembly date', '&assembly_date=2026-06-01', 'true'],
  ] as const)('%s', async ([, query, condition], { service, busy }) => {
    const ids = await idsOf(service, busy, condition)
    const last = Math.ceil(ids.length / LIMIT)
    for (const page of [11, 50, 51, 52, 60, last - 15, last, last + 1]) {
      const { body } = await busy.request('GET', `/orders?limit=${LIMIT}&page=${page}${query}`)
      const shown = { total: body.data.pagination.total, ids: body.data.orders.map(({ id }: { id: number }) => id) }
      expect([page, shown]).toEqual([page, { total: ids.length, ids: ids.slice((page - 1) * LIMIT, page * LIMIT) }])
    }
  })

  it.for([20, 80])('page %i with lines', async (page, { service, busy }) => {
    const ids = await idsOf(service, busy, 'true')
    const { body } = await busy.request('GET', `/orders?limit=${LIMIT}&page=${page}&include_details=true`)
    expect(body.data.orders.map(({ id, order_detail }: { id: number; order_detail: unknown }) => [id, order_detail])).toEqual(
      ids.slice((page - 1) * LIMIT, page * LIMIT).map((id) => [id, []]),
    )
  })
})
