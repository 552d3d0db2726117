import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import type { Database } from '@fulfillment/server/database/database.ts'
import type { TestTenant } from './service.ts'

/** Sets the tenant's reservation policy and waits until it is in effect for all open orders. */
export async function reserve(tenant: TestTenant, policy: 'off' | 'track' | 'strict'): Promise<void> {
  const { status } = await tenant.request('PUT', '/settings', { reservation_policy: policy })
  expect(status).toBe(200)
  // Not expect.poll, which tests that run at the same time cannot use.
  await vi.waitFor(async () => expect((await tenant.request('GET', '/settings')).body.data.reservation_state).toBe('ready'), {
    timeout: 60_000,
    interval: 50,
  })
}

/** Makes an active hold expire now, or so many milliseconds from now. Holds of the API live for 10 seconds at least. */
export async function expireHold(db: Database, id: number, inMs = 0): Promise<void> {
  await sql`
    with h as (
      update holds set expires_at = now() + make_interval(secs => ${inMs} / 1000.0) where id = ${id} and state = 'active' returning tenant_id, id, expires_at
    )
    update hold_lines l set expires_at = h.expires_at from h where l.tenant_id = h.tenant_id and l.hold_id = h.id`.execute(
    db.kysely,
  )
}

/** The seven numbers of a product in the default warehouse. */
export async function availabilityOf(tenant: TestTenant, productId: number): Promise<Record<string, number>> {
  const { body } = await tenant.request('GET', `/stock/availability?product_id=${productId}`)
  const { on_hand, unsellable, reserved, held, available, backordered, incoming } = body.data.availability[0]
  return { on_hand, unsellable, reserved, held, available, backordered, incoming }
}

/**
 * Invariant of a tenant that reserves: what is reserved, backordered and available is consistent with stock, holds and the open lines of
 * orders. It holds in every snapshot, also while others write.
 */
export async function expectConsistentReservations(db: Database, tenant: TestTenant): Promise<void> {
  const { rows } = await sql`
    with open_line as (
      select l.*, o.warehouse_id, o.assembly_date,
        case when l.picked_quantity >= round(l.quantity * (1 - l.pick_tolerance_percent / 100), 3) then 0 else l.quantity - l.picked_quantity end as open
      from order_lines l join orders o on o.tenant_id = l.tenant_id and o.id = l.order_id
      where l.tenant_id = ${tenant.id} and o.state_id in (1, 2, 3)
    ), reservation as (
      select * from order_reservations where tenant_id = ${tenant.id}
    ), held as (
      select product_id, warehouse_id, sum(reserved) as held from hold_lines where tenant_id = ${tenant.id} group by 1, 2
    ), by_product as (
      select product_id, warehouse_id, sum(reserved) as reserved, sum(backordered) as backordered from reservation group by 1, 2
    ), by_order as (
      select order_id, sum(reserved) as reserved, sum(backordered) as backordered from reservation group by 1
    ), unsellable as (
      select v.product_id, l.warehouse_id, sum(v.quantity) as quantity
      from stock_levels v join locations l on l.tenant_id = v.tenant_id and l.id = v.location_id
      where v.tenant_id = ${tenant.id} and not l.sellable group by 1, 2
    ), total as (
      select * from warehouse_stock where tenant_id = ${tenant.id}
    )
    select 'a line is not reserved or backordered as far as it is open' as problem, to_json(l) as record
    from open_line l full join reservation r on r.order_id = l.order_id and r.order_line_id = l.id
    where coalesce(l.open, 0) <> coalesce(r.reserved + r.backordered, 0)
      or r.order_id is not null and (r.product_id, r.warehouse_id, r.assembly_date) <> (l.product_id, l.warehouse_id, l.assembly_date)
    union all
    select 'a total is not the sum of its reservations', to_json(t)
    from total t full join by_product p using (product_id, warehouse_id) full join held h using (product_id, warehouse_id)
    where coalesce(t.reserved, 0) <> coalesce(p.reserved, 0) + coalesce(h.held, 0) or coalesce(t.held, 0) <> coalesce(h.held, 0)
      or coalesce(t.backordered, 0) <> coalesce(p.backordered, 0)
    union all
    select 'what is not sellable is counted wrong', to_json(t)
    from total t full join unsellable u using (product_id, warehouse_id) where coalesce(t.unsellable, 0) <> coalesce(u.quantity, 0)
    union all
    select 'more is reserved than there is', to_json(t) from total t where reserved > quantity - unsellable or held > reserved or reserved < 0
    union all
    select 'something is available although somebody waits for it', to_json(t)
    from total t where reserved < quantity - unsellable and backordered > 0
    union all
    select 'the sums of an order are wrong', coalesce(to_json(s), to_json(o))
    from (select * from order_reservation_sums where tenant_id = ${tenant.id}) s
    full join by_order o using (order_id)
    where (s.reserved, s.backordered) is distinct from (coalesce(o.reserved, 0), coalesce(o.backordered, 0))
    union all
    select 'an order has sums although it is over, or none although it is open', to_json(o)
    from (select id from orders where tenant_id = ${tenant.id} and state_id in (1, 2, 3)) o
    full join (select order_id from order_reservation_sums where tenant_id = ${tenant.id}) s on s.order_id = o.id
    where o.id is null or s.order_id is null`.execute(db.kysely)
  expect(rows).toEqual([])
}
