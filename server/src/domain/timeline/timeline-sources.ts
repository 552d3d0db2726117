// SQL for what each kind of entry is made of: lists of rows of texts, as JSON. The first text of each is a time; `::text` makes a column a text.
// `entries-of.ts` makes the entries. No query formats anything, and a range is two columns of an index.
// `q` is a page to read: the id of the order, the limit of the long lists, and where each of these begins. $1 is the tenant.

const EVENTS_KEPT = `interval '30 days'`
const CALLS_KEPT = `interval '365 days'`

/** SQL for a list of rows of texts. All of one type, they take a fifteenth less of a page's time than values of a JSON array, whose types are looked up for each. */
const list = (columns: string, from: string): string => `array_to_json(array(select ${texts(columns)} ${from}))`
/** The same in an aggregate: null for no rows. */
const aggregated = (columns: string): string => `json_agg(${texts(columns)})`
const texts = (columns: string): string => `array[${columns}]`

const FLOWS =
  aggregated(`started_at::text, id::text, batch_id::text, slot::text, operator_email, items_picked::text, total_quantity_picked::text, coalesce(completed_at, cancelled_at)::text,
       state, cancellation_reason`)
const SHIPMENTS = aggregated('created_at::text, id::text, reference, shipped_at::text, delivered_at::text, cancelled_at::text')
/** Receiving begins with the first receipt, undone or not. */
const RETURNS = aggregated(`created_at::text, id::text, reference, (
       select min(created_at) from return_receipts where tenant_id = $1 and record_id = returns.id
     )::text, closed_at::text, cancelled_at::text`)

/** The order of a page, and its flows, which are few. */
export const ORDER = `cross join lateral (
     select id, order_tenant_id, warehouse_id, items_count, total_quantity, created_at, has_shipments from orders where tenant_id = $1 and id = q.order_id limit 1
   ) o cross join lateral (
     select ${FLOWS} as list, array_agg('flow/' || id) || array_agg('batch/' || batch_id) as names
     from picking_flows where tenant_id = $1 and order_id = q.order_id
   ) flow`

/** The names under which its calls are listed, besides those of the order: see `namedRecords`. */
export const NAMES = `cross join lateral (select flow.names) named (names)`

/** Its shipments and returns, which few orders have, and their names, too. */
export const RECORDS = `cross join lateral (
     select ${SHIPMENTS} as list, array_agg('shipment/' || id) as names from shipments where tenant_id = $1 and order_id = q.order_id
   ) shipment cross join lateral (
     select ${RETURNS} as list, array_agg('return/' || id) as names from returns where tenant_id = $1 and order_id = q.order_id
   ) return_record cross join lateral (select flow.names || shipment.names || return_record.names) named (names)`

/** Whether there are any. */
export const HAS_RECORDS = `o.has_shipments is true or exists (select from returns where tenant_id = $1 and order_id = q.order_id)`

export const STATES = list(
  'at::text, id::text, state_id::text, previous_state_id::text, changed_by, reason',
  'from order_state_changes where tenant_id = $1 and order_id = q.order_id',
)

/** Of each name a page. A call can have several of the names, and is in the list as often. */
const CALLS = list(
  'at::text, id::text, operation, key_name, address, request_id, error',
  `from unnest(array['order/' || o.id, 'order_tenant_id/' || o.order_tenant_id] || named.names) n (name)
   cross join lateral (
     select * from order_calls c
     where c.tenant_id = $1 and c.name = n.name and (c.at, c.id) > (q.call_at, q.call_id) and c.at >= now() - ${CALLS_KEPT}
     order by c.at, c.id limit q.most
   ) c`,
)

/** The names of products are read once for all movements of a page: many are of one product, or of products that are side by side. */
const MOVEMENTS = `cross join lateral (
     select ${aggregated('created_at::text, id::text, product_id::text, location_id, movement_type, quantity::text, previous_quantity::text, new_quantity::text, reason, user_id::text, flow_id::text, pick_id')} as list,
       array_agg(product_id) as products
     from (
       select * from stock_movements
       where tenant_id = $1 and order_id = q.order_id and (created_at, id) > (q.movement_at, q.movement_id)
       order by created_at, id limit q.most
     ) m
   ) movement`
const PRODUCTS = list('id::text, name', 'from products where tenant_id = $1 and id = any(movement.products)')

/** The latest 30 days of the list of events, which keeps them for a while longer. */
const eventsOf = (kind: string, columns: string, condition = ''): string =>
  list(
    columns,
    `from (
     select * from order_events
     where tenant_id = $1 and order_id = q.order_id and (created_at, event_id) > (q.${kind}_at, q.${kind}_id)
       and created_at >= now() - ${EVENTS_KEPT}${condition}
     order by created_at, event_id limit q.most
   ) e`,
  )

/** A list that can be long is read from a time and an id on. */
interface LongList {
  /** The type of its ids. */
  id: string
  /** What it needs beside the records. */
  from?: string
  columns: string
}

/** The lists that can be long, by their kind. */
export const LONG = {
  reservation: {
    id: 'text',
    columns: `${eventsOf('reservation', 'created_at::text, event_id, data', ' and data is not null')} as reservations`,
  },
  call: { id: 'uuid', columns: `${CALLS} as calls` },
  movement: { id: 'bigint', from: MOVEMENTS, columns: `movement.list as movements, ${PRODUCTS} as products` },
  // With the data of reservations, which are events too: one reading makes the entries of both kinds.
  event: {
    id: 'text',
    columns: `${eventsOf('event', 'created_at::text, event_id, topic, data')} as events, exists (select from webhook_subscriptions where tenant_id = $1) as has_webhooks`,
  },
} satisfies Partial<Record<string, LongList>>
