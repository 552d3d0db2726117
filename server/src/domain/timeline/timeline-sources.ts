import { rankOf } from './kinds.ts'

// SQL for what each kind of entry is made of: queries with the columns `rank` and `values`, a JSON array that begins with a time. `entry-of.ts`
// makes the entries. Most of what a page costs is what Postgres prepares for each execution, which grows with the number of expressions: so
// no query formats anything, and a range is two columns of an index. Texts of JSON made here took half as much again.
// $1: tenant. $2: order. $3: limit of the long lists.

const EVENTS_KEPT = `interval '30 days'`
const CALLS_KEPT = `interval '365 days'`

/** CTEs that the sources read: the order, and its flows, shipments and returns, which are few. */
export const RECORDS = `named as (
     select id, order_tenant_id, warehouse_id, items_count, total_quantity, created_at from orders where tenant_id = $1 and id = $2
   ), flow as (
     select * from picking_flows where tenant_id = $1 and order_id = $2
   ), return_record as (
     select * from returns where tenant_id = $1 and order_id = $2
   ), shipment_record as (
     select * from shipments where tenant_id = $1 and order_id = $2
   )`

const CREATED = `select ${rankOf('created')} as rank,
     json_build_array(created_at, id, order_tenant_id, warehouse_id, items_count, total_quantity) as values
   from named`

const STATE = `select ${rankOf('state')}, json_build_array(at, id, state_id, previous_state_id, changed_by, reason)
   from order_state_changes where tenant_id = $1 and order_id = $2`

const FLOW = `select ${rankOf('flow')}, json_build_array(started_at, id, batch_id, slot, operator_email, items_picked, total_quantity_picked,
     coalesce(completed_at, cancelled_at), state, cancellation_reason)
   from flow`

const SHIPMENT = `select ${rankOf('shipment')}, json_build_array(created_at, id, reference, shipped_at, delivered_at, cancelled_at) from shipment_record`

/** Receiving begins with the first receipt, undone or not. */
const RETURN = `select ${rankOf('return')}, json_build_array(created_at, id, reference, (
     select min(created_at) from return_receipts where tenant_id = $1 and record_id = r.id
   ), closed_at, cancelled_at) from return_record r`

/** A list that can be long is read from a time and an id on. */
type Range = (time: string, id: string) => string

const movement: Range = (
  time,
  id,
) => `select ${rankOf('movement')}, json_build_array(m.created_at, m.id, m.product_id, p.name, m.location_id, m.movement_type, m.quantity,
     m.previous_quantity, m.new_quantity, m.reason, m.user_id, m.flow_id, m.pick_id)
   from (
     select * from stock_movements
     where tenant_id = $1 and order_id = $2 and (created_at, id) > (${time}::timestamptz, ${id}::bigint)
     order by created_at, id limit $3::bigint
   ) m cross join lateral (select name from products where tenant_id = $1 and id = m.product_id limit 1) p`

/** The latest 30 days of the list of events, which keeps them for a while longer. */
const eventsOf = (condition: string, time: string, id: string): string => `
     select * from order_events
     where tenant_id = $1 and order_id = $2 and (created_at, event_id) > (${time}::timestamptz, ${id}::text) and created_at >= now() - ${EVENTS_KEPT}${condition}
     order by created_at, event_id limit $3::bigint`

const reservation: Range = (time, id) =>
  `select ${rankOf('reservation')}, json_build_array(created_at, event_id, data) from (${eventsOf(' and data is not null', time, id)}) e`

/** With the data of reservations, which are events too: one reading makes the entries of both kinds. */
const event: Range = (time, id) => `select ${rankOf('event')}, json_build_array(created_at, event_id, topic, exists (
     select from webhook_subscriptions where tenant_id = $1
   ), data) from (${eventsOf('', time, id)}) e`

/** The names under which calls are listed: see `namedRecords`. */
const NAMES = `
       select 'order/' || id as name from named
       union all select 'order_tenant_id/' || order_tenant_id from named
       union all select 'flow/' || id from flow
       union all select 'batch/' || batch_id from flow where batch_id is not null
       union all select 'return/' || id from return_record
       union all select 'shipment/' || id from shipment_record`

/** A call can have several of the names. */
const call: Range = (
  time,
  id,
) => `select ${rankOf('call')}, json_build_array(at, id, operation, key_name, address, request_id, error)
   from (
     select distinct on (c.at, c.id) c.* from (${NAMES}
     ) n cross join lateral (
       select * from order_calls c
       where c.tenant_id = $1 and c.name = n.name and (c.at, c.id) > (${time}::timestamptz, ${id}::uuid) and c.at >= now() - ${CALLS_KEPT}
       order by c.at, c.id limit $3::bigint
     ) c
     order by c.at, c.id, c.error limit $3::bigint
   ) c`

/** The queries of short lists, read as a whole. */
export const SHORT = [CREATED, STATE, FLOW, SHIPMENT, RETURN]

/** The queries of long lists, by their kind. */
export const LONG = { reservation, call, movement, event } satisfies Partial<Record<string, Range>>
