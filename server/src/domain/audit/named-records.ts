import { KEPT_ITEMS } from './input-text.ts'

/** The first segments of paths whose `id` is a record's, and how names of such records begin. */
const RECORDS: Readonly<Record<string, string>> = {
  orders: 'order',
  flows: 'flow',
  'flow-batches': 'batch',
  shipments: 'shipment',
  returns: 'return',
}

/** An order id in canonical form: a client's identifier such as `007` is not order 7. */
const ID = /^[1-9]\d{0,15}$/

const EITHER = 'order_or_tenant_id'

/**
 * SQL for the name under which a call is listed. Whether an identifier is an order's id is decided by the orders that there are at the call: an
 * order that is created later does not take the call over.
 */
export const decidedName = (tenantId: string, name: string): string => `case when ${name} like '${EITHER}/%' then
       case when (select true from orders where tenant_id = ${tenantId} and id = substr(${name}, ${EITHER.length + 2})::bigint limit 1) then 'order/'
       else 'order_tenant_id/' end || substr(${name}, ${EITHER.length + 2}) else ${name} end`

/** The operation whose new orders have no ids yet. Its statement names the orders: see `insert-orders-sql.ts`. */
export const CREATES_ORDERS = 'orders.create'

/**
 * The names of the orders, and of the flows, batches, shipments and returns, that a call names in its path or input: `order/4711`,
 * `order_tenant_id/SO-10023`, `flow/12`. Of a list, those that the audit log keeps. `order_or_tenant_id/7` means order 7 or, if there is none,
 * the order with this `order_tenant_id`: see `decidedName`.
 */
export function namedRecords(path: string, input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return []
  const fields = input as Readonly<Record<string, unknown>>
  const names = [
    ...one('order', fields['order_id']),
    ...one('order_tenant_id', fields['order_tenant_id']),
    ...each('order', fields['order_ids']),
    ...each('order_tenant_id', fields['order_tenant_ids']),
    ...each('order_tenant_id', tenantIdsOf(fields['orders'])),
    ...(/^\/[^/]+\/\{id\}/.test(path) ? namesOfId(path, fields) : []),
  ]
  return [...new Set(names)]
}

function namesOfId(path: string, { id, order_tenant_id }: Readonly<Record<string, unknown>>): string[] {
  const record = RECORDS[path.split('/')[1] as string]
  if (record === undefined) return []
  if (record !== 'order' || typeof id === 'number') return one(record, id)
  // Only a cancellation accepts both identifiers there, and order_tenant_id comes first.
  if (typeof id !== 'string' || typeof order_tenant_id === 'string') return []
  return ID.test(id) ? one(EITHER, id) : one('order_tenant_id', id)
}

const one = (kind: string, value: unknown): string[] =>
  typeof value === 'string' || typeof value === 'number' ? [`${kind}/${value}`] : []

const each = (kind: string, values: unknown): string[] => firstOf(values).flatMap((value) => one(kind, value))

const tenantIdsOf = (orders: unknown): unknown[] =>
  firstOf(orders).map((order) => (order as { order_tenant_id?: unknown }).order_tenant_id)

const firstOf = (values: unknown): unknown[] => (Array.isArray(values) ? values.slice(0, KEPT_ITEMS) : [])
