import { timeOfPreface } from '../audit/index.ts'
import { orderCreated } from '../order-states/index.ts'
import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { arrayText, statement } from '../../database/statements/statement.ts'
import type { CallEntry } from '../../procedures/change.ts'
import { beginWork, mapInTurns, nextTurn } from '../../runtime/event-loop/turns.ts'
import { eventData, recordEvents } from '../events/index.ts'
import { ORDER_STATE_NAMES, ORDER_STATES, recordOrderCounts } from '../order-states/index.ts'
import { IS_RESERVING, RESERVING, type ReservationStatus, settled, withReservationEvents } from '../reserving/index.ts'
import type { NewOrder } from './schemas.ts'

/** Orders that are created together, all or none. */
export interface Submission {
  tenantId: number
  /** Distinct by `order_tenant_id`. */
  orders: readonly SubmittedOrder[]
  /** The audited call. Undefined for one that is not audited. */
  call: SubmittingCall | undefined
}

/** The call of a submission, for the timelines of its orders. */
export interface SubmittingCall {
  /** With how many of the first orders the audit log keeps. */
  entry: CallEntry
  keyName: string
  requestId: string
}

export type SubmittedOrder = Omit<NewOrder, 'warehouse_id'> & { warehouse_id: number }

/** The result of an order of a submission, by its position. An order that already exists has no row. */
export interface InsertedOrder {
  call: number
  position: number
  /** Null when this order made the submission fail. */
  id: number | null
  /** Whether its warehouse does not exist. */
  lacks_warehouse: boolean
  /** Its barcodes that no active product has, in line order. */
  unknown_barcodes: string[] | null
  is_reserving: boolean
  /** Those of the unknown barcodes that packs have. Undefined, like the next ones, in the statement for the policy `off`. */
  packs?: Pack[] | null
  /** Whether no hold has its reference, or only one of another warehouse. */
  lacks_hold?: boolean
  /** Under the policy `strict`, its lines that cannot be reserved in full, in line order. */
  short_lines?: ShortLine[] | null
  /** Null when the tenant does not reserve. */
  reservation_status?: ReservationStatus | null
}

/** A barcode of a pack, with the own one of its product. */
export interface Pack {
  barcode: string
  quantity: number
  product_barcode: string
}

/** A line that cannot be reserved in full. */
export interface ShortLine {
  /** From 0. */
  position: number
  /** What earlier lines leave. */
  available: number
}

/** `c` is the new row, `n` the submitted order. */
const ORDER_CREATED = eventData(orderCreated, {
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

type CallValues = [
  named: number[],
  at: (string | null)[],
  ids: (string | null)[],
  keyNames: (string | null)[],
  addresses: (string | null)[],
  requestIds: (string | null)[],
]
type OrderValues = [
  tenantId: number | undefined,
  calls: number[],
  positions: number[],
  identifiers: string[],
  assemblyDates: string[],
  customerNames: (string | null)[],
  shippingAddresses: (string | null)[],
  warehouseIds: number[],
]
type ReservationValues = [mayBeBackordered: boolean[], holds: (string | null)[]]
/** One list per line field; `orderNumbers` start at 1. */
type LineValues = [orderNumbers: number[], barcodes: string[], quantities: number[], prices: (number | null)[]]
/** The same lists in the text format of Postgres arrays. */
type LineTexts = [orderNumbers: string, barcodes: string, quantities: string, prices: string]
type Values = [...OrderValues, ...(LineValues | LineTexts)]

/** The parts of the statement that differ while the tenant reserves. */
interface Reserving {
  /** The number of the first parameter of `CallValues`. */
  calls: number
  /** CTEs at the beginning. */
  before: string
  /** A condition of all submitted orders. */
  condition: string
  /** Further products of a barcode `l.barcode`, with the columns of products. */
  additional: string
  invalid: string
  judged: string
  /** Of the new lines. */
  returning: string
  settle: string
  /** The relation of the events. */
  event: string
  result: string
}

const INVALID = `
     from submitted s left join (
       select order_number, json_agg(barcode order by position) as barcodes from new_line where product_id is null group by order_number
     ) l on l.order_number = s.number`
const CREATED = 'from created c join new_order n on n.id = c.id'

/**
 * Under the policy `off`. Half the size of the other: what a plan costs grows with it, also where it finds nothing to do. While the tenant
 * reserves, it only says so. It knows no additional barcodes: orders with a barcode that it does not find run again with the other.
 */
const WITHOUT_POLICY: Reserving = {
  calls: 13,
  before: `policy as materialized (select ${IS_RESERVING} as is_reserving), `,
  condition: 'where not (select is_reserving from policy)',
  additional: '',
  invalid: '',
  judged: `
     select call, position, warehouse_name is null as lacks_warehouse, l.barcodes${INVALID}
     where warehouse_name is null or l.barcodes is not null`,
  returning: '',
  settle: '',
  event: 'order_event',
  result: `select n.call, n.position, c.id, false as lacks_warehouse, null as unknown_barcodes, false as is_reserving ${CREATED}
   union all
   select call, position, null, lacks_warehouse, barcodes, false from refused
   union all
   select c.call, 0, null, false, null, true from policy cross join unnest($2::int[]) c (call) where is_reserving`,
}

/** Of the barcodes of a refused order. */
const PACKS = `(select json_agg(json_build_object('barcode', b.barcode, 'quantity', b.quantity::float8, 'product_barcode', p.barcode))
     from json_array_elements_text(barcodes) u (barcode)
     cross join lateral (select * from product_barcodes where tenant_id = $1 and barcode = u.barcode limit 1) b
     cross join lateral (select * from products where tenant_id = $1 and id = b.product_id and is_active limit 1) p)`

const WITH_POLICY: Reserving = {
  calls: 15,
  before: `${RESERVING}, `,
  condition: '',
  // Those of packs are not ordered: the quantity of a line is in base units.
  additional: `
       union all
       select p.* from (select product_id from product_barcodes where tenant_id = $1 and barcode = l.barcode and quantity = 1 limit 1) b
       cross join lateral (select * from products where tenant_id = $1 and id = b.product_id and is_active limit 1) p
       limit 1`,
  invalid: `, named_hold as materialized (
     -- A reference means the newest hold that has it.
     select n.number, h.id, h.id is null or h.warehouse_id <> n.warehouse_id as is_missing
     from reserving r cross join unnest($14::text[]) with ordinality g (reference, number) join new_order n using (number)
     left join lateral (
       select id, warehouse_id from holds where tenant_id = r.tenant_id and reference = g.reference order by id desc limit 1
     ) h on true
     where g.reference is not null
   ), invalid as materialized (
     select call, position, number, warehouse_name is null as lacks_warehouse, coalesce(h.is_missing, false) as lacks_hold, l.barcodes${INVALID}
     left join named_hold h using (number)
     where warehouse_name is null or h.is_missing or l.barcodes is not null
   ), short_line as materialized (
     select j.order_number, json_agg(json_build_object('position', j.line_position, 'available', j.available::float8) order by j.line_position) as lines
     from (
       select r.tenant_id from reserving r join tenant_settings t on t.tenant_id = $1 and t.tenant_id = r.tenant_id and t.reservation_policy = 'strict'
     ) r, (
       select array_agg(number order by number) as numbers, array_agg(order_tenant_id order by number) as identifiers,
         array_agg(h.id order by number) as holds
       from new_order left join named_hold h using (number)
     ) o, (
       select array_agg(n.call order by l.position) as calls, array_agg(n.number order by l.position) as orders,
         array_agg(l.product_id order by l.position) as products, array_agg(n.warehouse_id order by l.position) as warehouses,
         array_agg(l.quantity order by l.position) as quantities, array_agg(a.may_be_backordered order by l.position) as may_be_backordered
       from new_line l join new_order n on n.number = l.order_number
       join unnest($13::boolean[]) with ordinality a (may_be_backordered, number) on a.number = n.number
       where not exists (select from invalid i where i.call = n.call)
     ) l, judge_orders(
       r.tenant_id, o.numbers, o.identifiers, o.holds, l.calls, l.orders, l.products, l.warehouses, l.quantities, l.may_be_backordered
     ) j
     group by j.order_number
   )`,
  judged: `
     select call, position, lacks_warehouse, lacks_hold, barcodes, null::json as short_lines from invalid
     union all
     select n.call, n.position, false, false, null, s.lines from short_line s join new_order n on n.number = s.order_number`,
  returning: 'returning order_id',
  settle: `, ${settled({
    lines: `select c.id as order_id, null::bigint as order_line_id, false as from_elsewhere, h.id as hold_id
       from (select order_id as id from created_line group by order_id) c join new_order n using (id) left join named_hold h using (number)`,
    areNew: true,
  })}`,
  event: withReservationEvents('order_event'),
  result: `select n.call, n.position, c.id, false as lacks_warehouse, false as lacks_hold, null as unknown_barcodes, null as packs, null as short_lines,
     case when exists (select from settled s where s.order_id = c.id) or r.phase in ('clearing', 'collecting') then 'backordered'
       when r.tenant_id is not null then 'reserved' end as reservation_status, r.tenant_id is not null as is_reserving
   ${CREATED} left join reserving r on true
   union all
   select call, position, null, lacks_warehouse, lacks_hold, barcodes, ${PACKS}, short_lines, null, exists (select from reserving) from refused`,
}

/**
 * Creates the orders that do not exist yet; none of a submission that fails. Barcodes of existing orders are not checked: submitting an
 * old order again succeeds even if its products were deleted. Rows are inserted in the order of order_tenant_id, so overlapping batches
 * never deadlock; ids are assigned before, in the order submitted.
 *
 * While the tenant reserves, the lines of created orders are settled. Under the policy `strict`, orders are judged first. The totals that
 * judging locks come before the rows of new orders, for which only other callers wait that have locked theirs too.
 *
 * The plan may be made on empty tables, where every index costs the same. A limited lookup "the first row from this key on" can only use
 * the right index, and never joins all orders or products of the tenant.
 */
function insertion({
  calls,
  before,
  condition,
  additional,
  invalid,
  judged,
  returning,
  settle,
  event,
  result,
}: Reserving): string {
  return `with ${before}submitted as materialized (
     select s.*, (select w.name from warehouses w where w.tenant_id = $1 and w.id = s.warehouse_id) as warehouse_name
     from unnest($2::int[], $3::int[], $4::text[], $5::date[], $6::text[], $7::text[], $8::bigint[]) with ordinality
       as s(call, position, order_tenant_id, assembly_date, customer_name, shipping_address, warehouse_id, number)
     ${condition}
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
     left join lateral (
       select * from (select * from products where tenant_id = $1 and barcode >= l.barcode order by barcode limit 1) next
       where next.barcode = l.barcode and next.is_active${additional}
     ) p on true
   )${invalid}, refused as materialized (${judged}
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
     insert into order_lines (tenant_id, order_id, product_id, barcode, product_name, quantity, price, pick_tolerance_percent)
     select $1, l.order_id, l.product_id, l.barcode, l.product_name, l.quantity, l.price, l.pick_tolerance_percent
     from new_line l join created c on c.id = l.order_id
     order by l.position
     ${returning}
   ), created_count as (
     select created_at, assembly_date, state_id, 1 as change from created
   ), ${recordOrderCounts('created_count')}, order_event as (
     select n.number as position, 'order/created' as topic, ${ORDER_CREATED} as data
     from created c join new_order n on n.id = c.id
   ), ${namedCalls(calls)}${settle}, ${recordEvents(event)}
   ${result}`
}

/** Names the orders of a call in the timeline. A call that fails is named when its error is known: see `AuditTrail`. */
function namedCalls(first: number): string {
  const types = ['int', 'timestamptz', 'uuid', 'text', 'text', 'text']
  return `named_call as (
     insert into order_calls (tenant_id, name, at, id, operation, key_name, address, request_id)
     select $1, coalesce('order/' || c.id, 'order_tenant_id/' || s.order_tenant_id), coalesce(k.at, ${timeOfPreface('k.id')}), k.id, 'orders.create', k.key_name, k.address, k.request_id
     from unnest(${types.map((type, index) => `$${first + index}::${type}[]`).join(', ')}) with ordinality
       k (named, at, id, key_name, address, request_id, number)
     join submitted s on s.call = k.number - 1 and s.position < k.named
     left join created c on c.order_tenant_id = s.order_tenant_id
     where not exists (select from refused r where r.call = s.call)
   )`
}

const insert = statement<[...Values, ...CallValues], InsertedOrder>({
  name: 'insert_orders',
  connection: 'write',
  sql: insertion(WITHOUT_POLICY),
})
const insertReserving = statement<[...Values, ...ReservationValues, ...CallValues], InsertedOrder>({
  name: 'insert_orders_reserving',
  connection: 'write',
  sql: insertion(WITH_POLICY),
})

/** Creates the orders of a submission, whatever the policy. */
export const insertReservingOrders: BatchedStatement<
  Submission,
  InsertedOrder,
  [...Values, ...ReservationValues, ...CallValues]
> = {
  statement: insertReserving,
  valuesOf: (submissions) => [
    ...valuesOf(submissions),
    ...reservationValues(submissions.flatMap(({ orders }) => orders)),
    ...callValues(submissions),
  ],
  groupOf: ({ tenantId }) => String(tenantId),
  changedBy: ({ orders }) => orders.map(({ order_tenant_id }) => order_tenant_id),
  sizeOf: ({ orders }) => orders.reduce((lines, { order_detail }) => lines + order_detail.length, 0),
}

/** The same, quicker under the policy `off` and with primary barcodes. Otherwise it runs again with the other statement. */
export const insertOrders: BatchedStatement<Submission, InsertedOrder, [...Values, ...CallValues]> = {
  ...insertReservingOrders,
  statement: insert,
  valuesOf: (submissions) => [...valuesOf(submissions), ...callValues(submissions)],
  secondRun: {
    isNeeded: (rows) => rows.some((row) => row.is_reserving || (row.unknown_barcodes !== null && !row.lacks_warehouse)),
    instead: insertReservingOrders,
  },
}

/**
 * The values of a large submission, built in several turns of the event loop: in one turn, 100,000 lines take 200 ms. The lists of lines are
 * already in the text format of Postgres arrays.
 */
export async function valuesInTurns(submission: Submission): Promise<[...Values, ...ReservationValues, ...CallValues]> {
  const lists: [string[], string[], string[], string[]] = [[], [], [], []]
  const mustWait = beginWork()
  for (const [index, order] of submission.orders.entries()) {
    if (mustWait()) await nextTurn()
    for (const [position, values] of lineValues([order], index + 1).entries())
      lists[position]?.push(arrayText(values).slice(1, -1))
  }
  const texts = await mapInTurns(lists, (list) => `{${list.join(',')}}`)
  return [
    ...orderValues([submission]),
    ...(texts as LineTexts),
    ...reservationValues(submission.orders),
    ...callValues([submission]),
  ]
}

function valuesOf(submissions: readonly Submission[]): Values {
  return [...orderValues(submissions), ...lineValues(submissions.flatMap(({ orders }) => orders))]
}

const callValues = (submissions: readonly Submission[]): CallValues => [
  submissions.map(({ call }) => call?.entry.named ?? 0),
  submissions.map(({ call }) => call?.entry.at ?? null),
  submissions.map(({ call }) => call?.entry.id ?? null),
  submissions.map(({ call }) => call?.keyName ?? null),
  submissions.map(({ call }) => call?.entry.address ?? null),
  submissions.map(({ call }) => call?.requestId ?? null),
]

const reservationValues = (orders: readonly SubmittedOrder[]): ReservationValues => [
  orders.map((order) => order.allow_backorder === true),
  orders.map((order) => order.hold ?? null),
]

function orderValues(submissions: readonly Submission[]): OrderValues {
  const orders = submissions.flatMap((submission, call) =>
    submission.orders.map((order, position) => ({ call, position, order })),
  )
  return [
    submissions[0]?.tenantId,
    orders.map(({ call }) => call),
    orders.map(({ position }) => position),
    orders.map(({ order }) => order.order_tenant_id),
    orders.map(({ order }) => order.assembly_date),
    orders.map(({ order }) => order.customer_name ?? null),
    orders.map(({ order }) => order.shipping_address ?? null),
    orders.map(({ order }) => order.warehouse_id),
  ]
}

function lineValues(orders: readonly SubmittedOrder[], firstNumber = 1): LineValues {
  const lines = orders.flatMap(({ order_detail }, index) => order_detail.map((line) => ({ number: firstNumber + index, line })))
  return [
    lines.map(({ number }) => number),
    lines.map(({ line }) => line.barcode),
    lines.map(({ line }) => line.quantity),
    lines.map(({ line }) => line.price ?? null),
  ]
}
