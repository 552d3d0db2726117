import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import type { ServiceResponse, TestTenant } from './service.ts'

// Tests read whatever fields they expect.
// oxlint-disable-next-line typescript/no-explicit-any
type Count = any

/** Begins a count and returns it. */
export async function begin(tenant: TestTenant, scope: object): Promise<Count> {
  const { status, body } = await tenant.request('POST', '/counts', scope)
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}

/** Sends an entry. */
export const enter = (tenant: TestTenant, count: { id: number }, body: object): Promise<ServiceResponse> =>
  tenant.request('POST', `/counts/${count.id}/entries`, body)

/** Calls `submit`, `reopen`, `approve` or `cancel`. */
export const transition = (tenant: TestTenant, count: { id: number }, call: string, body?: object): Promise<ServiceResponse> =>
  tenant.request('POST', `/counts/${count.id}/${call}`, body)

/** The count as it is now. */
export const readCount = async (tenant: TestTenant, { id }: { id: number }): Promise<Count> =>
  (await tenant.request('GET', `/counts/${id}`)).body.data

/** What lies at a location, by the API. */
export async function levelAt(tenant: TestTenant, sku: string, locationId: string): Promise<number | undefined> {
  const { locations } = (await tenant.request('GET', `/stock/sku/${sku}`)).body.data
  return locations.find((level: { location_id: string }) => level.location_id === locationId)?.quantity
}

/** Invariant: counters of counts follow from their lines, lines from their latest entries, and approved lines are their movements. */
export async function expectConsistentCounting(db: Database, tenant: TestTenant): Promise<void> {
  const { rows } = await sql`
    with record as (
      select * from stock_counts where tenant_id = ${tenant.id}
    ), line as (
      select * from stock_count_lines where tenant_id = ${tenant.id}
    ), latest as (
      select distinct on (record_id, line_id) * from stock_count_entries where tenant_id = ${tenant.id}
      order by record_id, line_id, created_at desc
    )
    select 'the counters of a count are wrong' as problem, to_json(r) as row from record r
    where (lines_total, lines_counted, lines_different) <> (
      select count(*), count(counted), count(*) filter (where counted <> expected) from line l where l.record_id = r.id
    )
    union all
    select 'a line is not its latest entry', to_json(l)
    from line l full join latest e on e.record_id = l.record_id and e.line_id = l.id
    where (l.counted, l.expected, l.operator_id) is distinct from (e.counted, e.expected, e.operator_id)
    union all
    select 'a movement is not the variance of a line', to_json(l)
    from line l join record r on r.id = l.record_id
    left join stock_movements m on m.tenant_id = ${tenant.id} and m.id = l.movement_id
    where (r.state = 'approved' and l.counted is not null) <> (l.movement_id is not null)
      or l.movement_id is not null and (m.movement_type, m.quantity, m.product_id, m.location_id, m.reason)
        is distinct from ('ADJUSTMENT'::text, l.counted - l.expected, l.product_id, l.location_id, 'inventory_count'::text)`.execute(
    db.kysely,
  )
  expect(rows).toEqual([])
}
