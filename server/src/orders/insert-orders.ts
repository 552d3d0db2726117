import type { BatchedStatement } from '../database/batched-statement.ts'
import { arrayText, statement } from '../database/statement.ts'
import { isTurnOver, mapInTurns, nextTurn } from '../event-loop/turns.ts'
import { eventData, recordEvents } from '../events/index.ts'
import { ORDER_STATES, ORDER_STATE_NAMES, recordOrderCounts } from '../order-states/index.ts'
import type { NewOrder } from './schemas.ts'

/** Orders that are created together, all of them or none. */
export interface Submission {
  tenantId: number
  /** Distinct by `order_tenant_id`. */
  orders: readonly SubmittedOrder[]
}

export type SubmittedOrder = Omit<NewOrder, 'warehouse_id'> & { warehouse_id: number }

/** What became of an order of a submission, which is named by its position. Of an order that existed already there is no row. */
export interface InsertedOrder {
  call: number
  position: number
  /** Null when the submission was refused for this order. */
  id: number | null
  /** Whether its warehouse does not exist. */
  lacks_warehouse: boolean
  /** Its barcodes that no active product has, in the order of lines. */
  unknown_barcodes: string[] | null
}

/** `c` is the new row, `n` what was submitted. */
const ORDER_CREATED = eventData('order/created', {
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
 * Creates the orders that do not exist yet; of a submission that is refused, none. The barcodes of those that do are not looked at: submitting an old order again succeeds,
 * whatever became of its products. Rows are inserted in the order of order_tenant_id, so that overlapping batches wait for one another
 * and never in a circle; ids are given before that, in the order of submission.
 *
 * Postgres plans the statement once, maybe while the tables are empty and one index is as good as another. "The first from this one on"
 * can only be found in the right one, and not by a join with all of the tenant's orders or products.
 */
const insert = statement<readonly unknown[], InsertedOrder>(
  'insert_orders',
  `with submitted as materialized (
     select s.*, (select w.name from warehouses w where w.tenant_id = $1 and w.id = s.warehouse_id) as warehouse_name
     from unnest($2::int[], $3::int[], $4::text[], $5::date[], $6::text[], $7::text[], $8::bigint[]) with ordinality
       as s(call, position, order_tenant_id, assembly_date, customer_name, shipping_address, warehouse_id, number)
   ), new_order as materialized (
     select nextval('orders_id_seq') as id, s.*
     from submitted s
     where s.order_tenant_id is distinct from (
       select order_tenant_id from orders where tenant_id = $1 and order_tenant_id >= s.order_tenant_id order by order_tenant_id limit 1
     )
     order by s.number
   ), new_line as materialized (
     select n.id as order_id, n.number as order_number, l.position, l.barcode, l.quantity, coalesce(l.price, p.price) as price,
       p.id as product_id, p.name as product_name
     from unnest($9::bigint[], $10::text[], $11::int[], $12::float8[]) with ordinality as l(order_number, barcode, quantity, price, position)
     join new_order n on n.number = l.order_number
     left join lateral (
       select * from (select * from products where tenant_id = $1 and barcode >= l.barcode order by barcode limit 1) next
       where next.barcode = l.barcode and next.is_active
     ) p on true
   ), refused as materialized (
     select call, position, number, warehouse_name is null as lacks_warehouse, l.barcodes
     from submitted s left join (
       select order_number, json_agg(barcode order by position) as barcodes from new_line where product_id is null group by order_number
     ) l on l.order_number = s.number
     where warehouse_name is null or l.barcodes is not null
   ), created as (
     insert into orders (tenant_id, id, order_tenant_id, state_id, assembly_date, customer_name, shipping_address, warehouse_id, items_count, total_quantity)
     overriding system value
     select $1, n.id, n.order_tenant_id, ${ORDER_STATES.pending}, n.assembly_date, n.customer_name, n.shipping_address, n.warehouse_id, t.items_count, t.total_quantity
     from new_order n
     join (select order_id, count(*) as items_count, sum(quantity) as total_quantity from new_line group by order_id) t on t.order_id = n.id
     where not exists (select from refused r where r.call = n.call)
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
     select n.number as position, 'order/created' as topic, ${ORDER_CREATED} as data
     from created c join new_order n on n.id = c.id
   ), ${recordEvents('order_event')}
   select n.call, n.position, c.id, false as lacks_warehouse, null as unknown_barcodes from created c join new_order n on n.id = c.id
   union all
   select call, position, null, lacks_warehouse, barcodes from refused`,
)

/**
 * The values of a large submission, written down turn by turn: to do so at once for a hundred thousand lines takes a fifth of a second.
 * Lists are texts already.
 */
export async function valuesInTurns(submission: Submission): Promise<unknown[]> {
  const lists: string[][] = LINE_LISTS.map(() => [])
  for (const [index, { order_detail }] of submission.orders.entries()) {
    if (isTurnOver()) await nextTurn()
    for (const [position, list] of LINE_LISTS.entries())
      lists[position]?.push(arrayText(order_detail.map((line) => list(line, index + 1))).slice(1, -1))
  }
  const orders = submission.orders.map((order) => ({ ...order, order_detail: [] }))
  const [tenantId, ...values] = insertOrders.valuesOf([{ ...submission, orders }])
  const ofOrders = values.slice(0, -LINE_LISTS.length)
  return [tenantId, ...ofOrders, ...(await mapInTurns(lists, (texts) => `{${texts.join(',')}}`))]
}

type Line = NewOrder['order_detail'][number]

/** `number` is the order's, from 1. */
const LINE_LISTS: ((line: Line, number: number) => unknown)[] = [
  (_line, number) => number,
  ({ barcode }) => barcode,
  ({ quantity }) => quantity,
  ({ price }) => price ?? null,
]

/** Creates the orders of a submission. */
export const insertOrders: BatchedStatement<Submission, InsertedOrder> = {
  statement: insert,
  valuesOf: (submissions) => {
    const orders = submissions.flatMap((submission, call) =>
      submission.orders.map((order, position) => ({ call, position, order })),
    )
    const lines = orders.flatMap(({ order }, index) => order.order_detail.map((line) => ({ number: index + 1, line })))
    return [
      submissions[0]?.tenantId,
      orders.map(({ call }) => call),
      orders.map(({ position }) => position),
      orders.map(({ order }) => order.order_tenant_id),
      orders.map(({ order }) => order.assembly_date),
      orders.map(({ order }) => order.customer_name ?? null),
      orders.map(({ order }) => order.shipping_address ?? null),
      orders.map(({ order }) => order.warehouse_id),
      lines.map(({ number }) => number),
      lines.map(({ line }) => line.barcode),
      lines.map(({ line }) => line.quantity),
      lines.map(({ line }) => line.price ?? null),
    ]
  },
  groupOf: ({ tenantId }) => String(tenantId),
  changedBy: ({ orders }) => orders.map(({ order_tenant_id }) => order_tenant_id),
  sizeOf: ({ orders }) => orders.reduce((lines, { order_detail }) => lines + order_detail.length, 0),
}
