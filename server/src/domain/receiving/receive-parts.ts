import { recordEvents } from '../events/index.ts'
import { productNamedBy, recordEventPosition } from '../records/index.ts'
import { applyStockChanges } from '../stock/index.ts'
import { further, OPEN_STATES, type ReceivingKind } from './kind.ts'

// The CTEs that `receiveTogether` and `receiveAlone` have in common, in their order.

/** What a receipt changes in its record, which is locked, as responses and the event show it. */
export const CHANGED = { state: `'receiving'`, total_received: '(r.total_received + e.quantity)', updated_at: 'e.created_at' }

/** The calls, with what they name. Columns and joins of a statement's own see a call `c`, its record `r`, product `p` and location `k`. */
export const wanted = (
  { tables: { records, lines } }: ReceivingKind,
  { columns, joins } = { columns: '', joins: '' },
): string => `wanted as materialized (
     select c.*, r.revision as seen_revision, p.id as product_id, p.weighable, k.warehouse_id as location_warehouse_id, k.sellable${columns}
     from unnest(
       $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::numeric[], $9::text[], $10::bigint[], $11::text[], $12::text[]
     ) with ordinality
       c (record_id, named_id, sku, barcode, line_id, location_id, quantity, receipt_id, operator_id, sent_name, disposition, position)
     cross join lateral (select revision, line_count from ${records} where tenant_id = $1 and id = c.record_id limit 1) r
     left join lateral (
       select id, weighable from products
       where tenant_id = $1 and id = coalesce(
         ${productNamedBy('c')}, (select l.product_id from ${lines} l where l.tenant_id = $1 and l.record_id = c.record_id and l.id = c.line_id limit 1)
       )
       limit 1
     ) p on true
     left join lateral (select warehouse_id, sellable from locations where tenant_id = $1 and id = c.location_id limit 1) k on true${joins}
   )`

export const locked = ({ tables: { records } }: ReceivingKind, condition: string): string => `locked_record as materialized (
     select * from ${records} where tenant_id = $1 and id = any (array(select record_id from wanted w where ${condition}))
     order by id for no key update
   )`

/** The branches of the `case` that says why a receipt is refused, whatever its lines are. */
export const refusals = ({ receive: parts }: ReceivingKind): string => `when r.revision <> w.seen_revision then 'stale'
       when w.quantity is null then 'unmeasured'
       when r.state not in ${OPEN_STATES} then 'over'
       when w.product_id is null then 'unknown'
       when not w.weighable and w.quantity <> trunc(w.quantity) then 'fraction'
       when w.location_warehouse_id <> r.warehouse_id then 'elsewhere'
       ${parts.refusedLocations}`

/** Columns of `judged`, from a call `w` and its locked record `r`. */
export const judgedColumns = ({
  receive: parts,
}: ReceivingKind): string => `w.position, w.record_id, w.quantity, w.location_id, w.line_id, w.sent_name,
       w.operator_id, coalesce(w.receipt_id, gen_random_uuid()::text) as receipt_id, w.disposition, ${parts.orderId} as order_id, r.state, w.product_id`

/** The changes of stock. `defaultWarehouse` is SQL for the warehouse of a new location. */
export const stockChanged = (kind: ReceivingKind, defaultWarehouse: string): string => `stock_change as materialized (
     select position::int, product_id, location_id, quantity as amount, 'IN' as movement_type, '${kind.reason}' as reason,
       operator_id as user_id, order_id, null::text as other_location_id
     from made m where ${kind.receive.isStocked}
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'apart',
     amount: 'relative',
     eventReason: kind.reason,
     defaultWarehouse,
     createdBy: '$13::text',
   })}`

/** The columns for responses of a line `x` to which a receipt `m` adds `added`, and gave `taken`. */
export function shownColumns(
  { lineFields, receive }: ReceivingKind,
  added: string,
  position = 'x.position',
  taken = added,
): string {
  const grows = receive.grows(added)
  const own = Object.values(lineFields).map((field) => field.replace(/^l\./, ''))
  const columns = own.map((column) => (column in grows ? `x.${column} + ${grows[column]} as ${column}` : `x.${column}`))
  return `${position}, x.id, x.product_id, x.quantity, x.received + ${added} as received, ${taken} as taken${further(columns)}`
}

/** The receipts, the records and their events. `filled` has columns with the lines that a receipt filled, among them `lines`, and joins for them. */
export function stored(kind: ReceivingKind, filled: { columns: string; joins?: string }): string {
  const { records, receipts } = kind.tables
  const copied = [
    'record_id',
    'id',
    'product_id',
    'location_id',
    'quantity',
    'line_id',
    'sent_name',
    'operator_id',
    'lines',
    'movement_id',
    'created_at',
  ]
  const columns = [...copied, ...kind.receive.receiptColumns].join(', ')
  return `new_receipt as materialized (
     select m.position, m.record_id, m.receipt_id as id, m.product_id, m.location_id, m.quantity, m.line_id, m.sent_name, m.operator_id, m.disposition,
       ${filled.columns}, s.id as movement_id, coalesce(s.created_at, clock_timestamp()) as created_at, null::timestamptz as undone_at, m.is_new_line
     from made m ${filled.joins ?? ''} left join stock_movement s using (position)
   ), stored_receipt as (
     insert into ${receipts} (tenant_id, ${columns}) select $1, ${columns} from new_receipt
   ), changed_record as (
     update ${records} r set state = 'receiving', total_received = r.total_received + e.quantity, revision = r.revision + 1,
       line_count = r.line_count + e.is_new_line::int, updated_at = e.created_at
     from new_receipt e
     where r.tenant_id = $1 and r.id = any (array(select record_id from made)) and r.id = e.record_id
   ), record_event as (
     select ${recordEventPosition(kind.name, 'r.id')} as position, '${kind.name}/updated' as topic, ${kind.updated('r.state', CHANGED)} as data
     from new_receipt e join locked_record r on r.id = e.record_id where r.state = 'expected'
   ), ${recordEvents('(select position, topic, data from stock_event union all select position, topic, data from record_event) e')}`
}
