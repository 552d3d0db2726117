import { recordEvents } from '../events/index.ts'
import { productNamedBy, recordEventPosition } from '../records/index.ts'
import { applyStockChanges } from '../stock/index.ts'
import { further, OPEN_STATES, type ReceivingKind } from './kind.ts'

// The CTEs that `receiveTogether` and `receiveAlone` have in common, in their order.

/** What a receipt changes in its record, which is locked, as responses and the event show it. */
export const CHANGED = { state: `'receiving'`, total_received: '(r.total_received + e.quantity)', updated_at: 'e.created_at' }

const BY_LOOKING_UP: Wanted = { columns: '', joins: '', isLookedUp: 'true', productId: 'p.id' }

/** What differs in `wanted`. All are SQL. */
interface Wanted {
  /** Further columns of a call, each after a comma, and the joins that they need. They see a call `w` and its record `r`. */
  columns: string
  joins: string
  /** Whether the product `p` of a call `c` must be looked up, and its id. */
  isLookedUp: string
  productId: string
}

/** The calls, with the records, products and locations that they name. */
export const wanted = (
  { tables: { records, lines } }: ReceivingKind,
  { columns, joins, isLookedUp, productId }: Wanted = BY_LOOKING_UP,
): string => `wanted as materialized (
     select w.*${columns}
     from unnest(
       $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::numeric[], $9::text[], $10::bigint[], $11::text[], $12::text[], $14::text[]
     ) with ordinality
       c (record_id, named_id, sku, barcode, line_id, location_id, quantity, receipt_id, operator_id, sent_name, disposition, new_id, position)
     cross join lateral (select * from ${records} where tenant_id = $1 and id = c.record_id limit 1) r
     left join lateral (
       select id, weighable from products
       where ${isLookedUp} and tenant_id = $1 and id = coalesce(
         ${productNamedBy('c')}, (select l.product_id from ${lines} l where l.tenant_id = $1 and l.record_id = c.record_id and l.id = c.line_id limit 1)
       )
       limit 1
     ) p on true
     left join lateral (select warehouse_id, sellable from locations where tenant_id = $1 and id = c.location_id limit 1) k on true
     cross join lateral (
       select c.*, r.revision as seen_revision, ${productId} as product_id, p.weighable, k.warehouse_id as location_warehouse_id, k.sellable
     ) w${joins}
   )`

export const locked = ({ tables: { records } }: ReceivingKind, condition: string): string => `locked_record as materialized (
     select * from ${records} where tenant_id = $1 and id = any (array(select record_id from wanted w where ${condition}))
     order by id for no key update
   )`

/** The branches of the `case` that says why a receipt is refused, whatever its lines are. */
export const refusals = ({
  receive: parts,
}: ReceivingKind): string => `when w.quantity is null and w.product_id is not null then 'unmeasured'
       when r.state not in ${OPEN_STATES} then 'over'
       when w.product_id is null then 'unknown'
       when not w.weighable and w.quantity <> trunc(w.quantity) then 'fraction'
       when w.location_warehouse_id <> r.warehouse_id then 'elsewhere'
       ${parts.refusedLocations}`

/** Columns of `judged`, from a call `w` and its locked record `r`. */
export const judgedColumns = ({
  receive: parts,
}: ReceivingKind): string => `w.position, w.record_id, w.quantity, w.location_id, w.line_id, w.sent_name,
       w.operator_id, coalesce(w.receipt_id, w.new_id) as receipt_id, w.disposition, ${parts.orderId} as order_id, r.state, w.product_id`

/** Columns of the changes of stock, from a receipt `m` that is made. */
export const movementColumns = ({
  reason,
}: ReceivingKind): string => `position::int, product_id, location_id, quantity as amount, 'IN' as movement_type, '${reason}' as reason,
       operator_id as user_id, order_id, null::text as other_location_id`

/** The changes of stock. `defaultWarehouse` is SQL for the warehouse of a new location. */
export const stockChanged = (kind: ReceivingKind, defaultWarehouse: string): string => `stock_change as materialized (
     select ${movementColumns(kind)} from made m where ${kind.receive.isStocked}
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'apart',
     amount: 'relative',
     eventReason: kind.reason,
     defaultWarehouse,
     createdBy: '$13::text',
   })}`

/** What a receipt does to a line that is shown. All are SQL. */
interface ShownLine {
  /** The position of the call. */
  position: string
  /** The quantity that the line gets. */
  added: string
  /** The quantity that the receipt says the line got. By default, `added`; a new line has it already. */
  taken?: string
}

/** The columns for responses of a line `x` and its receipt `m`. */
export function shownColumns({ lineColumns, receive }: ReceivingKind, { position, added, taken = added }: ShownLine): string {
  const additions = receive.addedToLine(added)
  const columns = [
    ...Object.keys(lineColumns).map((column) => `x.${column}`),
    ...Object.entries(additions).map(([column, amount]) => `x.${column} + ${amount} as ${column}`),
  ]
  return `${position}, x.id, x.product_id, x.quantity, x.received + ${added} as received, ${taken} as taken${further(columns)}`
}

/**
 * The receipts that are made, their records, and all events. `filled` is SQL for what a receipt `m` filled: columns, among them `lines`, and
 * the joins that they need.
 */
export function stored(kind: ReceivingKind, filled: { columns: string; joins: string }): string {
  const { records } = kind.tables
  return `new_receipt as materialized (
     select m.position, m.record_id, m.receipt_id as id, m.product_id, m.location_id, m.quantity, m.line_id, m.sent_name, m.operator_id, m.disposition,
       ${filled.columns}, s.id as movement_id, coalesce(s.created_at, clock_timestamp()) as created_at, null::timestamptz as undone_at, m.is_new_line
     from made m ${filled.joins} left join stock_movement s using (position)
   ), ${storedReceipt(kind)}, changed_record as (
     update ${records} r set state = 'receiving', total_received = r.total_received + e.quantity, revision = r.revision + 1,
       line_count = r.line_count + e.is_new_line::int, updated_at = e.created_at
     from new_receipt e
     where r.tenant_id = $1 and r.id = any (array(select record_id from made)) and r.id = e.record_id
   ), record_event as (
     ${recordEvent(kind, 'r.id', kind.updated('r.state', CHANGED))} from new_receipt e join locked_record r on r.id = e.record_id where r.state = 'expected'
   ), ${recordEvents(EVENTS)}`
}

/** The events of stock and of records. */
export const EVENTS = '(select position, topic, data from stock_event union all select position, topic, data from record_event) e'

/** The columns of the event of a record. Both are SQL. */
export const recordEvent = (kind: ReceivingKind, recordId: string, data: string): string =>
  `select ${recordEventPosition(kind.name, recordId)} as position, '${kind.name}/updated' as topic, ${data} as data`

/** The receipts of the relation `new_receipt`. */
export function storedReceipt(kind: ReceivingKind, isMade = 'true'): string {
  const columns = [
    'record_id',
    'id',
    'product_id',
    'location_id',
    'quantity',
    'line_id',
    'sent_name',
    'operator_id',
    'movement_id',
    'created_at',
    ...kind.receive.receiptColumns,
  ].join(', ')
  return `stored_receipt as (
     insert into ${kind.tables.receipts} (tenant_id, lines, ${columns}) select $1, lines::jsonb, ${columns} from new_receipt where ${isMade}
   )`
}
