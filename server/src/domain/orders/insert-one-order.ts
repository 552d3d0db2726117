import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import { timeOfPreface } from '../audit/index.ts'
import { recordEvents } from '../events/index.ts'
import { ORDER_STATES, recordOrderCounts } from '../order-states/index.ts'
import { IS_RESERVING } from '../reservation-core/index.ts'
import { CALL_COLUMNS, nameOfOrder, ORDER_COLUMNS, ORDER_CREATED, productWithBarcode } from './insert-orders-sql.ts'
import type { InsertedOrder } from './inserted-order.ts'
import type { AuditedRequest, Submission, SubmittedOrder } from './submission-values.ts'

type Values = [
  tenantId: number,
  identifier: string,
  assemblyDate: string,
  customerName: string | null,
  shippingAddress: string | null,
  warehouseId: number,
  barcodes: string[],
  quantities: number[],
  prices: (number | null)[],
  entryAt: string | null,
  entryId: string,
  keyName: string,
  address: string,
  requestId: string,
]

/**
 * Does what `insertOrdersSql` does for the policy `off`, for an order that shares its statement with no other, at three fifths of the cost: with one order,
 * a statement costs what its plan costs. It refuses nothing. While the tenant reserves, or where the warehouse or the product of a line is not found, it
 * changes nothing, and its row has no id: that is for the other statement.
 */
const insertOrder = statement<Values, InsertedOrder>({
  name: 'insert_order',
  connection: 'write',
  sql: `with new_line as materialized (
     select l.position, l.barcode, l.quantity, coalesce(l.price, p.price) as price, p.id as product_id, p.name as product_name, p.pick_tolerance_percent
     from unnest($7::text[], $8::int[], $9::float8[]) with ordinality l (barcode, quantity, price, position)
     cross join lateral (${productWithBarcode('l.barcode')}) p
   ), submitted as materialized (
     select o.*, not o.is_reserving and (o.already_exists or o.items_count = cardinality($7::text[]) and o.warehouse_name is not null) as is_possible
     from (
       select count(*) as items_count, sum(quantity) as total_quantity, ${IS_RESERVING} as is_reserving,
         (select name from warehouses where tenant_id = $1 and id = $6::bigint) as warehouse_name,
         $2::text is not distinct from (
           select order_tenant_id from orders where tenant_id = $1 and order_tenant_id >= $2::text order by order_tenant_id limit 1
         ) as already_exists
       from new_line
     ) o
   ), created as (
     insert into orders (${ORDER_COLUMNS})
     overriding system value
     select $1, nextval('orders_id_seq'), $2::text, ${ORDER_STATES.pending}, $3::date, $4::text, $5::text, $6::bigint, items_count, total_quantity
     from submitted where is_possible and not already_exists
     on conflict (tenant_id, order_tenant_id) do nothing
     returning id, order_tenant_id, state_id, assembly_date, warehouse_id, items_count, total_quantity, created_at
   ), created_line as (
     insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity, price, pick_tolerance_percent)
     select $1, c.id, l.product_id, l.barcode, l.product_name, l.quantity, l.price, l.pick_tolerance_percent
     from created c cross join new_line l
     order by l.position
   ), created_count as (
     select created_at, assembly_date, state_id, 1 as change from created
   ), ${recordOrderCounts('created_count', { isOneChange: true })}, order_event as (
     select 1 as position, 'order/created' as topic, ${ORDER_CREATED} as data from created c cross join submitted n
   ), named_call as (
     insert into order_calls (${CALL_COLUMNS})
     select $1, ${nameOfOrder('c.id', '$2::text')}, coalesce($10::timestamptz, ${timeOfPreface('$11::uuid')}), $11::uuid, 'orders.create', $12::text, $13::text, $14::text
     from submitted s left join created c on true where s.is_possible
   ), ${recordEvents('order_event')}
   select 0 as call, 0 as position, c.id, false as lacks_warehouse, null::json as unknown_barcodes, false as is_reserving from created c
   union all
   select 0, 0, null, false, null, is_reserving from submitted where not is_possible`,
})

const hasOne = (orders: readonly SubmittedOrder[]): orders is readonly [SubmittedOrder] => orders.length === 1

/** For one order, in an audited call whose entry names it. */
export const insertOneOrder: Required<BatchedStatement<Submission, InsertedOrder>>['alone'] = {
  statement: insertOrder,
  isFor: ({ orders, request }) => hasOne(orders) && request !== undefined && request.entry.named > 0,
  valuesOf: ({ tenantId, orders, request }): Values => {
    const [order] = orders as readonly [SubmittedOrder]
    const { entry, keyName, requestId } = request as AuditedRequest
    const lines = order.order_detail
    return [
      tenantId,
      order.order_tenant_id,
      order.assembly_date,
      order.customer_name ?? null,
      order.shipping_address ?? null,
      order.warehouse_id,
      lines.map(({ barcode }) => barcode),
      lines.map(({ quantity }) => quantity),
      lines.map(({ price }) => price ?? null),
      entry.at,
      entry.id,
      keyName,
      entry.address,
      requestId,
    ]
  },
}
