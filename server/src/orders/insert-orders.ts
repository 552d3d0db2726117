import { statement } from '../database/statement.ts'
import { isoTimestamp, recordEvents } from '../events/index.ts'
import { ORDER_STATES, ORDER_STATE_NAMES, recordOrderCounts } from '../order-states/index.ts'

/** The tenant, then orders and their lines, each field an array. An order is named by its `position`, which counts from 1. */
export type OrderArrays = [
  tenantId: number,
  orderTenantIds: string[],
  assemblyDates: string[],
  customerNames: (string | null)[],
  shippingAddresses: (string | null)[],
  warehouseIds: number[],
  linePositions: number[],
  lineBarcodes: string[],
  lineQuantities: number[],
  linePrices: (number | null)[],
]

export interface InsertedOrders {
  /** In the order of `position`. */
  created: { id: number; order_tenant_id: string }[]
  /** Positions of the orders whose warehouse does not exist. When there are any, nothing is written. */
  unknown_warehouses: number[]
  /** Barcodes of no active product, by the position of the order, in the order of lines. When there are any, nothing is written. */
  unknown_barcodes: { position: number; barcodes: string[] }[]
}

/**
 * Creates the orders that do not exist yet. The barcodes of those that do are not looked at: submitting an old order again succeeds,
 * whatever became of its products. Rows are inserted in the order of order_tenant_id, so that overlapping batches wait for one another
 * and never in a circle; ids are given before that, in the order of submission.
 *
 * Postgres plans the statement once, maybe while the tables are empty and one index is as good as another. "The first from this one on"
 * can only be found in the right one, and not by a join with all of the tenant's orders or products.
 */
export const insertOrders = statement<OrderArrays, InsertedOrders>(
  'insert_orders',
  `with submitted as materialized (
     select s.*, (select w.name from warehouses w where w.tenant_id = $1 and w.id = s.warehouse_id) as warehouse_name
     from unnest($2::text[], $3::date[], $4::text[], $5::text[], $6::bigint[]) with ordinality
       as s(order_tenant_id, assembly_date, customer_name, shipping_address, warehouse_id, position)
   ), new_order as materialized (
     select nextval('orders_id_seq') as id, s.*
     from submitted s
     where s.order_tenant_id is distinct from (
       select order_tenant_id from orders where tenant_id = $1 and order_tenant_id >= s.order_tenant_id order by order_tenant_id limit 1
     )
     order by s.position
   ), new_line as materialized (
     select n.id as order_id, n.position as order_position, l.position, l.barcode, l.quantity, coalesce(l.price, p.price) as price,
       p.id as product_id, p.name as product_name
     from unnest($7::bigint[], $8::text[], $9::int[], $10::float8[]) with ordinality as l(order_position, barcode, quantity, price, position)
     join new_order n on n.position = l.order_position
     left join lateral (
       select * from (select * from products where tenant_id = $1 and barcode >= l.barcode order by barcode limit 1) next
       where next.barcode = l.barcode and next.is_active
     ) p on true
   ), unknown_barcode as materialized (
     select order_position as position, json_agg(barcode order by position) as barcodes from new_line where product_id is null group by order_position
   ), created as (
     insert into orders (tenant_id, id, order_tenant_id, state_id, assembly_date, customer_name, shipping_address, warehouse_id, items_count, total_quantity)
     overriding system value
     select $1, n.id, n.order_tenant_id, ${ORDER_STATES.pending}, n.assembly_date, n.customer_name, n.shipping_address, n.warehouse_id, t.items_count, t.total_quantity
     from new_order n
     join (select order_id, count(*) as items_count, sum(quantity) as total_quantity from new_line group by order_id) t on t.order_id = n.id
     where not exists (select from unknown_barcode) and not exists (select from submitted where warehouse_name is null)
     order by n.order_tenant_id collate "C"
     on conflict (tenant_id, order_tenant_id) do nothing
     returning id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity, created_at
   ), created_line as (
     insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity, price)
     select $1, l.order_id, l.product_id, l.barcode, l.product_name, l.quantity, l.price
     from new_line l join created c on c.id = l.order_id
     order by l.position
   ), created_count as (
     select created_at, assembly_date, state_id, 1 as change from created
   ), ${recordOrderCounts('created_count')}, order_event as (
     select n.position, 'order/created' as topic, json_build_object('order_id', c.id, 'order_tenant_id', c.order_tenant_id,
       'state_id', c.state_id, 'state_name', '${ORDER_STATE_NAMES[ORDER_STATES.pending]}', 'warehouse_id', c.warehouse_id,
       'warehouse_name', n.warehouse_name, 'items_count', c.items_count, 'total_quantity', c.total_quantity, 'source', 'api',
       'source_integration', null, 'created_at', ${isoTimestamp('c.created_at')}) as data
     from created c join new_order n on n.id = c.id
   ), ${recordEvents('order_event')}
   select
     (select coalesce(json_agg(json_build_object('id', id, 'order_tenant_id', order_tenant_id) order by id), '[]') from created) as created,
     (select coalesce(json_agg(position order by position), '[]') from submitted where warehouse_name is null) as unknown_warehouses,
     (select coalesce(json_agg(json_build_object('position', position, 'barcodes', barcodes) order by position), '[]') from unknown_barcode) as unknown_barcodes`,
)
