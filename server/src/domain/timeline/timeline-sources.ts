import { AUDIT_DAYS_KEPT, EVENT_DAYS_KEPT } from '../../database/retention.ts'

// SQL for what each kind of entry is made of: lists as texts, of rows as fields, all with a separator in between. The first field of each row is
// a time. `entries-of.ts` makes the entries. No query formats anything, and a range is two columns of an index.
// `q` is a page to read: the id of the order, the limit of the long lists, and where each of these begins. $1 is the tenant, $2 the separator.

/** Of an order that has more flows, changes of state, shipments or returns than this, the latest ones: nothing else bounds them, and all tenants share the connections. */
const MAX_RECORDS = 1_000
const EVENTS_KEPT = `interval '${EVENT_DAYS_KEPT} days'`
const CALLS_KEPT = `interval '${AUDIT_DAYS_KEPT} days'`

/** SQL for a row. Its fields must not be null: null would be left out. */
const row = (...fields: string[]): string => `concat_ws($2, ${fields.join(', ')})`
/** SQL for a field that is never an empty text: that stands for null. */
const orNull = (field: string): string => `coalesce(${field}::text, '')`
/** SQL for a text that can be empty or null: `=` stands in front of what is not null. */
const textOrNull = (field: string): string => `coalesce('=' || ${field}, '')`

/** SQL for a list. As texts, lists take Postgres a fifteenth less of a page's time than as JSON, and the driver half. */
const list = (ofRow: string, from: string): string => `array_to_string(array(select ${ofRow} ${from}), $2)`
/** The same in an aggregate: null for no rows. */
const aggregated = (ofRow: string): string => `string_agg(${ofRow}, $2)`

const FLOW = row(
  'started_at',
  'id',
  orNull('batch_id'),
  orNull('slot'),
  'operator_email',
  orNull('first_operator_email'),
  'items_picked',
  'total_quantity_picked',
  orNull('coalesce(completed_at, cancelled_at)'),
  'state',
  textOrNull('cancellation_reason'),
)
const RECORD = ['created_at', 'id', textOrNull('reference')]
const SHIPMENT = row(...RECORD, orNull('shipped_at'), orNull('delivered_at'), orNull('cancelled_at'))
/** Receiving begins with the first receipt, undone or not. */
const RETURN = row(
  ...RECORD,
  orNull('(select min(created_at) from return_receipts where tenant_id = $1 and record_id = returns.id)'),
  orNull('closed_at'),
  orNull('cancelled_at'),
)

/** SQL for the latest records of the order in a table, by `id` or an expression of it. */
const latest = (table: string, id = 'id'): string =>
  `(select * from ${table} where tenant_id = $1 and order_id = q.order_id order by ${id} desc limit ${MAX_RECORDS}) ${table}`
/** Their index of orders has no id: by a plain one, Postgres could look through all of the tenant. */
const UNINDEXED_ID = 'id + 0'

/** What tells of the creation, in one column: with each response, the driver makes something of each column's name and type. */
export const CREATED = row('o.created_at', 'o.id', 'o.order_tenant_id', 'o.warehouse_id', 'o.items_count', 'o.total_quantity')

/** The order of a page, and its flows, which are few. */
export const ORDER = `cross join lateral (
     select id, order_tenant_id, warehouse_id, items_count, total_quantity, created_at, has_shipments from orders where tenant_id = $1 and id = q.order_id limit 1
   ) o cross join lateral (
     select ${aggregated(FLOW)} as list, array_agg('flow/' || id) || array_agg('batch/' || batch_id) as names
     from ${latest('picking_flows')}
   ) flow`

/** The names under which its calls are listed, besides those of the order: see `namedRecords`. */
export const NAMES = `cross join lateral (select flow.names) named (names)`

/** Its shipments and returns, which few orders have, and their names, too. */
export const RECORDS = `cross join lateral (
     select ${aggregated(SHIPMENT)} as list, array_agg('shipment/' || id) as names from ${latest('shipments', UNINDEXED_ID)}
   ) shipment cross join lateral (
     select ${aggregated(RETURN)} as list, array_agg('return/' || id) as names from ${latest('returns', UNINDEXED_ID)}
   ) return_record cross join lateral (select flow.names || shipment.names || return_record.names) named (names)`

/** Whether there are any. */
export const HAS_RECORDS = `o.has_shipments is true or exists (select from returns where tenant_id = $1 and order_id = q.order_id)`

export const STATES = list(
  row('at', 'id', 'state_id', 'previous_state_id', 'changed_by', textOrNull('reason')),
  `from order_state_changes where tenant_id = $1 and order_id = q.order_id order by id desc limit ${MAX_RECORDS}`,
)

const CALL = row('at', 'id', 'operation', 'key_name', 'address', 'request_id', orNull('error'))
/** Of each name a page. A call can have several of the names, and is in the list as often. */
const callsAfter = (after: After): string =>
  list(
    'c.as_row',
    `from unnest(array['order/' || o.id, 'order_tenant_id/' || o.order_tenant_id] || named.names) n (name)
   cross join lateral (
     select ${CALL} as as_row from order_calls c
     where c.tenant_id = $1 and c.name = n.name${after('c.at', 'c.id')} and c.at >= now() - ${CALLS_KEPT}
     order by c.at, c.id limit q.most
   ) c`,
  )

const MOVEMENT = row(
  'created_at',
  'id',
  'product_id',
  'location_id',
  'movement_type',
  'quantity',
  'previous_quantity',
  'new_quantity',
  textOrNull('reason'),
  orNull('user_id'),
  orNull('flow_id'),
  orNull('pick_id'),
)
/** The names of products are read once for all movements of a page: many are of one product, or of products that are side by side. */
const movementsAfter = (after: After): string => `cross join lateral (
     select ${aggregated('as_row')} as list, array_agg(product_id) as products
     from (
       select ${MOVEMENT} as as_row, product_id from stock_movements
       where tenant_id = $1 and order_id = q.order_id${after('created_at', 'id')}
       order by created_at, id limit q.most
     ) m
   ) movement`
const PRODUCTS = list(row('id', 'name'), 'from products where tenant_id = $1 and id = any(movement.products)')

/** The order's events that are kept: the list by order has them for a while longer. */
const eventsAfter = (after: After, ofRow: string, condition = ''): string =>
  list(
    ofRow,
    `from order_events
     where tenant_id = $1 and order_id = q.order_id${after('created_at', 'event_id')} and created_at >= now() - ${EVENTS_KEPT}${condition}
     order by created_at, event_id limit q.most`,
  )

/** The number of the tenant's subscriptions, of which each can have a delivery of an event; of many, one more than `FEW_WEBHOOKS`. */
export const FEW_WEBHOOKS = 10
const WEBHOOKS = `(select count(*)::int from (select from webhook_subscriptions where tenant_id = $1 limit ${FEW_WEBHOOKS + 1}) w)`

interface LongList {
  /** What it needs beside the records. */
  from?: string
  columns: string
}

/** The lists that can be long, by their kind, with the type of their ids. They are read from a time and an id on. */
export const LONG = { reservation: 'text', call: 'uuid', movement: 'bigint', event: 'text' } as const
export type LongKind = keyof typeof LONG

/** SQL for the condition that an entry with this time and id is behind the position. */
type After = (time: string, id: string) => string

const LISTS: Record<LongKind, (after: After) => LongList> = {
  reservation: (after) => ({
    columns: `${eventsAfter(after, row('created_at', 'event_id', 'data'), ' and data is not null')} as reservations`,
  }),
  call: (after) => ({ columns: `${callsAfter(after)} as calls` }),
  movement: (after) => ({ from: movementsAfter(after), columns: `movement.list as movements, ${PRODUCTS} as products` }),
  // With the data of reservations, which are events too: one reading makes the entries of both kinds.
  event: (after) => ({
    columns: `${eventsAfter(after, row('created_at', 'event_id', 'topic', orNull('data')))} as events, ${WEBHOOKS} as webhooks`,
  }),
}

/** SQL for a list that can be long. For a first page it has no position, which takes Postgres a twentieth less of a page's time. */
export const longList = (kind: LongKind, isFirst: boolean): LongList =>
  LISTS[kind]((time, id) => (isFirst ? '' : ` and (${time}, ${id}) > (q.${kind}_at, q.${kind}_id)`))
