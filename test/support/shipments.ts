import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Shipment } from '@fulfillment/sdk'
import type { Database } from '@fulfillment/server/database/database.ts'
import { newOrder } from './orders.ts'
import { OPERATOR, pick, type PickableProduct, startedFlow } from './picking.ts'
import type { ServiceResponse, TestTenant } from './service.ts'

/** An order with its lines, as it was made. */
export interface PackableOrder {
  id: number
  order_tenant_id: string
  /** Ids of its lines. */
  lines: number[]
}

type Lines = [product: PickableProduct, quantity: number][]

/** Packs and returns the shipment. */
export async function pack(tenant: TestTenant, order: { id: number }, packages: object[] = [], fields = {}): Promise<Shipment> {
  const { status, body } = await tryToPack(tenant, order, packages, fields)
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}

/** Packs and returns the response. */
export const tryToPack = (tenant: TestTenant, order: { id: number }, packages: object[], fields = {}): Promise<ServiceResponse> =>
  tenant.request('POST', '/shipments', { order_id: order.id, packages, ...fields })

/** A package of one line. */
export const packageOf = (named: object, quantity: number, fields: object = {}): object => ({
  lines: [{ ...named, quantity }],
  ...fields,
})

/** Calls `ship`, `deliver` or `cancel`. */
export const transition = (tenant: TestTenant, shipment: { id: number }, call: string, body?: object): Promise<ServiceResponse> =>
  tenant.request('POST', `/shipments/${shipment.id}/${call}`, body)

/** Changes a shipment. */
export const change = (tenant: TestTenant, shipment: { id: number }, body: object): Promise<ServiceResponse> =>
  tenant.request('PUT', `/shipments/${shipment.id}`, body)

/** The shipment as it is now. */
export const readShipment = async (tenant: TestTenant, { id }: { id: number }): Promise<Shipment> =>
  (await tenant.request('GET', `/shipments/${id}`)).body.data

/** The shipment status of an order in `GET /orders/{id}`, after a look that the list has the same. Undefined if it has none. */
export async function statusOf(tenant: TestTenant, { id, order_tenant_id: name }: PackableOrder): Promise<string | undefined> {
  const { data } = (await tenant.request('GET', `/orders/${id}`)).body
  const { orders } = (await tenant.request('GET', `/orders?order_tenant_id=${encodeURIComponent(name)}`)).body.data
  expect(['shipment_status' in orders[0], orders[0].shipment_status]).toEqual(['shipment_status' in data, data.shipment_status])
  expect('has_shipments' in data || 'has_shipments' in orders[0]).toBe(false)
  return data.shipment_status
}

async function withLines(tenant: TestTenant, order: { id: number; order_tenant_id: string }): Promise<PackableOrder> {
  const { data } = (await tenant.request('GET', `/orders/${order.id}`)).body
  return { ...order, lines: data.order_detail.map(({ id }: { id: number }) => id) }
}

/** An order that was completed by hand: all of it is taken. */
export async function completedOrder(tenant: TestTenant, lines: Lines): Promise<PackableOrder> {
  const order = await newOrder(tenant, { order_detail: lines.map(([{ barcode }, quantity]) => ({ barcode, quantity })) })
  await tenant.request('PUT', `/orders/${order.id}`, { state_id: 5 })
  return withLines(tenant, order)
}

/** An open order of which a completed flow took these quantities from the location `A`. */
export async function pickedOrder(tenant: TestTenant, lines: Lines, taken: number[]): Promise<PackableOrder> {
  const { order, flow } = await startedFlow(tenant, lines)
  await take(tenant, flow, lines, taken)
  return withLines(tenant, order)
}

/** Takes further quantities in a further flow. */
export async function pickMore(tenant: TestTenant, { id }: { id: number }, lines: Lines, taken: number[]): Promise<void> {
  const { body } = await tenant.request('POST', '/flows', { order_id: id, ...OPERATOR })
  await take(tenant, body.data.id, lines, taken)
}

async function take(tenant: TestTenant, flow: number, lines: Lines, taken: number[]): Promise<void> {
  for (const [index, quantity] of taken.entries())
    if (quantity > 0) await pick(tenant, flow, { product_id: lines[index]?.[0].id, location_id: 'A', quantity })
  const { status } = await tenant.request('POST', `/flows/${flow}/complete`)
  expect(status).toBe(200)
}

/** Invariant: shipments follow from their lines, and no order line is packed more than it was taken. */
export async function expectConsistentShipments(db: Database, tenant: TestTenant): Promise<void> {
  const { rows } = await sql`
    with record as (
      select * from shipments where tenant_id = ${tenant.id}
    ), line as (
      select * from shipment_lines where tenant_id = ${tenant.id}
    ), order_line as (
      select l.*, case
          when o.state_id = 5 and not exists (select from order_lines n where n.tenant_id = ${tenant.id} and n.order_id = o.id and n.picked_quantity > 0)
          then l.quantity
          when exists (select from picking_flows f where f.tenant_id = ${tenant.id} and f.order_id = o.id and f.state = 'started') then l.picked_before_flow
          else l.picked_quantity
        end as taken
      from order_lines l join orders o on o.tenant_id = ${tenant.id} and o.id = l.order_id where l.tenant_id = ${tenant.id}
    )
    select 'a shipment is not the sum of its lines' as problem, to_json(r) as row from record r
    where (total_quantity, line_count) <> (select coalesce(sum(quantity), 0), count(*) from line l where l.record_id = r.id)
    union all
    select 'a line is of another order or product', to_json(l)
    from line l join record r on r.id = l.record_id left join order_line x on x.order_id = r.order_id and x.id = l.order_line_id
    where x.product_id is distinct from l.product_id
    union all
    select 'more is packed than was taken', to_json(x) from order_line x
    where x.taken < (
      select coalesce(sum(l.quantity), 0) from line l join record r on r.id = l.record_id
      where r.state <> 'cancelled' and r.order_id = x.order_id and l.order_line_id = x.id
    )
    union all
    select 'an order does not know that it has shipments', to_json(o) from orders o
    where o.tenant_id = ${tenant.id} and (o.has_shipments is true) <> exists (select from record r where r.order_id = o.id)
    union all
    select 'an open shipment of a cancelled order', to_json(r)
    from record r join orders o on o.tenant_id = ${tenant.id} and o.id = r.order_id where o.state_id = 7 and r.state = 'open'`.execute(
    db.kysely,
  )
  expect(rows).toEqual([])
}
