import { timeOfPreface } from '../audit/index.ts'
import { eventData, recordEvents } from '../events/index.ts'
import { orderCreated, ORDER_STATE_NAMES, ORDER_STATES, recordOrderCounts } from '../order-states/index.ts'
import type { PolicyParts } from './policy-parts.ts'

/** The columns of new orders. */
export const ORDER_COLUMNS =
  'tenant_id, id, order_tenant_id, state_id, assembly_date, customer_name, shipping_address, warehouse_id, items_count, total_quantity'
/** The columns of the requests on the timelines of orders. */
export const CALL_COLUMNS = 'tenant_id, name, at, id, operation, key_name, address, request_id'

/** SQL for the name under which a request is listed: the id is null for an order that exists already. */
export const nameOfOrder = (id: string, identifier: string): string =>
  `coalesce('order/' || ${id}, 'order_tenant_id/' || ${identifier})`

/** SQL for the active product that has a barcode as its primary one. */
export const productWithBarcode = (barcode: string): string => `
       select * from (select * from products where tenant_id = $1 and barcode >= ${barcode} order by barcode limit 1) next
       where next.barcode = ${barcode} and next.is_active`

/** The data of `order/created`. `c` is the new row, `n` the submitted order. */
export const ORDER_CREATED = eventData(orderCreated, {
  order_id: 'c.id',
  order_tenant_id: 'c.order_tenant_id',
  state_id: 'c.state_id',
  state_name: `'${ORDER_STATE_NAMES[ORDER_STATES.pending]}'`,
  warehouse_id: 'c.warehouse_id',
  warehouse_name: 'n.warehouse_name',
  items_count: 'c.items_count',
  total_quantity: 'c.total_quantity',
  source: `'api'`,
  source_integration: 'null',
  created_at: 'c.created_at',
})

/**
 * SQL that creates the orders of a batch of submissions, except those that already exist; of a submission that fails, it creates none.
 *
 * Steps: `submitted` are all orders, `new_order` those that do not exist, `new_line` their lines with products, and `refused` the orders that
 * make their submission fail. All other new orders are then written with their lines, counted, listed in the timelines, settled and
 * announced by events. In each relation, `call` is the position of the submission in the batch, `position` that of the order in its submission,
 * and `number` that of the order in the batch, from 1.
 *
 * Barcodes of existing orders are not checked: submitting an old order again succeeds even if its products were deleted. Rows are inserted
 * in the order of order_tenant_id, so overlapping batches never deadlock; ids are assigned before, in the order submitted. Under the policy
 * `strict`, totals are locked before the rows of new orders are inserted. That cannot deadlock: whoever waits for such a row has locked its
 * own totals already.
 *
 * The plan may be made on empty tables, where every index costs the same. A limited lookup "the first row from this key on" can only use
 * the right index, and never joins all orders or products of the tenant.
 */
export function insertOrdersSql(parts: PolicyParts): string {
  return `with ${parts.policy}submitted as materialized (
     select s.*, (select w.name from warehouses w where w.tenant_id = $1 and w.id = s.warehouse_id) as warehouse_name
     from unnest($2::int[], $3::int[], $4::text[], $5::date[], $6::text[], $7::text[], $8::bigint[]) with ordinality
       as s(call, position, order_tenant_id, assembly_date, customer_name, shipping_address, warehouse_id, number)
     ${parts.condition}
   ), new_order as materialized (
     select nextval('orders_id_seq') as id, s.*
     from submitted s
     where s.order_tenant_id is distinct from (
       select order_tenant_id from orders where tenant_id = $1 and order_tenant_id >= s.order_tenant_id order by order_tenant_id limit 1
     )
     order by s.number
   ), new_line as materialized (
     select n.id as order_id, n.number as order_number, l.position, l.barcode, l.quantity, coalesce(l.price, p.price) as price,
       p.id as product_id, p.name as product_name, p.pick_tolerance_percent
     from unnest($9::bigint[], $10::text[], $11::int[], $12::float8[]) with ordinality as l(order_number, barcode, quantity, price, position)
     join new_order n on n.number = l.order_number
     left join lateral (${productWithBarcode('l.barcode')}${parts.otherProducts}
     ) p on true
   )${parts.checks}, refused as materialized (${parts.refused}
   ), created as (
     insert into orders (${ORDER_COLUMNS})
     overriding system value
     select $1, n.id, n.order_tenant_id, ${ORDER_STATES.pending}, n.assembly_date, n.customer_name, n.shipping_address, n.warehouse_id, t.items_count, t.total_quantity
     from new_order n
     join (select order_id, count(*) as items_count, sum(quantity) as total_quantity from new_line group by order_id) t on t.order_id = n.id
     where not exists (select from refused r where r.call = n.call)
     order by n.order_tenant_id collate "C"
     on conflict (tenant_id, order_tenant_id) do nothing
     returning id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity, created_at
   ), created_line as (
     insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity, price, pick_tolerance_percent)
     select $1, l.order_id, l.product_id, l.barcode, l.product_name, l.quantity, l.price, l.pick_tolerance_percent
     from new_line l join created c on c.id = l.order_id
     order by l.position
     ${parts.returning}
   ), created_count as (
     select created_at, assembly_date, state_id, 1 as change from created
   ), ${recordOrderCounts('created_count')}, order_event as (
     select n.number as position, 'order/created' as topic, ${ORDER_CREATED} as data
     from created c join new_order n on n.id = c.id
   ), ${namedCalls(parts.firstRequestParameter)}${parts.settling}, ${recordEvents(parts.events)}
   ${parts.result}`
}

/**
 * The CTE `named_call`, which lists the audited request of each submission on the timelines of its orders. A request that fails is listed when
 * its error is known: see `AuditTrail`.
 */
function namedCalls(firstParameter: number): string {
  const types = ['int', 'timestamptz', 'uuid', 'text', 'text', 'text']
  return `named_call as (
     insert into order_calls (${CALL_COLUMNS})
     select $1, ${nameOfOrder('c.id', 's.order_tenant_id')}, coalesce(k.at, ${timeOfPreface('k.id')}), k.id, 'orders.create', k.key_name, k.address, k.request_id
     from unnest(${types.map((type, index) => `$${firstParameter + index}::${type}[]`).join(', ')}) with ordinality
       k (named, at, id, key_name, address, request_id, number)
     join submitted s on s.call = k.number - 1 and s.position < k.named
     left join created c on c.order_tenant_id = s.order_tenant_id
     where not exists (select from refused r where r.call = s.call)
   )`
}
