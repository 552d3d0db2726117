import { recordEvents } from '../events/index.ts'
import { productNamedBy, recordEventPosition } from '../records/index.ts'
import { applyStockChanges } from '../stock/index.ts'
import { further, lineChange, lineTexts, OPEN_STATES, PRODUCT_OF_LINE, type ReceivingKind } from './kind.ts'

// The CTEs of `receiveTogether` and `receiveAlone`, in their order.

/** What a receipt changes in its record, which is locked, as responses and the event show it. */
export const CHANGED = { state: `'receiving'`, total_received: '(r.total_received + e.quantity)', updated_at: 'e.created_at' }

/** The calls, with what they name. Those that `isLeft` are left for `receiveAlone`. */
export const wanted = ({ tables: { records, lines } }: ReceivingKind, isLeft: string): string => `wanted as materialized (
     select c.*, r.revision as seen_revision, p.id as product_id, p.weighable, k.warehouse_id as location_warehouse_id, k.sellable, ${isLeft} as is_left
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
     left join lateral (select warehouse_id, sellable from locations where tenant_id = $1 and id = c.location_id limit 1) k on true
   )`

export const locked = ({ tables: { records } }: ReceivingKind, condition: string): string => `locked_record as materialized (
     select * from ${records} where tenant_id = $1 and id = any (array(select record_id from wanted w where ${condition}))
     order by id for no key update
   )`

/** All lines of the records. Those that the receipt means are filled in order, and a surplus goes to the last of them. */
export const filled = ({ tables: { lines } }: ReceivingKind): string => `line as materialized (
     select x.*, case when is_meant then greatest(least(open, wanted - filled_before), 0)
       + case when is_last then greatest(wanted - total_open, 0) else 0 end else 0 end as taken
     from (
       select x.*, sum(open) over lines_in_order - open as filled_before, sum(open) over (partition by position, is_meant) as total_open,
         lead(id) over lines_in_order is null as is_last
       from (
         select w.position, w.quantity as wanted, l.*, greatest(l.quantity - l.received, 0) as open,
           coalesce(l.product_id = w.product_id and (w.line_id is null or l.id = w.line_id), false) as is_meant
         from wanted w cross join lateral (
           select ctid as place, * from ${lines} where tenant_id = $1 and record_id = w.record_id offset 0
         ) l
         where not w.is_left
       ) x
       window lines_in_order as (partition by position, is_meant order by id)
     ) x
   )`

/** Why each receipt is refused, and those that are `made`. `last` are further branches of the `case`. */
export const judged = ({ receive: parts }: ReceivingKind, last: string): string => `judged as materialized (
     select w.position, w.record_id, w.quantity, w.location_id, w.line_id, w.sent_name, w.operator_id, coalesce(w.receipt_id, gen_random_uuid()::text) as receipt_id,
       w.disposition, ${parts.orderId} as order_id, r.state, r.warehouse_id, w.product_id, coalesce(l.total_open, 0) as open, l.position is null as is_new_line, case
       when r.revision <> w.seen_revision then 'stale'
       when w.quantity is null then 'unmeasured'
       when r.state not in ${OPEN_STATES} then 'over'
       when w.product_id is null then 'unknown'
       when not w.weighable and w.quantity <> trunc(w.quantity) then 'fraction'
       when w.location_warehouse_id <> r.warehouse_id then 'elsewhere'
       ${parts.refusedLocations}
       when not r.allow_over and l.position is null then 'unannounced'
       when not r.allow_over and l.total_open < w.quantity then 'beyond'
       ${last}
     end as refusal
     from wanted w join locked_record r on r.id = w.record_id left join line l on l.position = w.position and l.is_meant and l.is_last
   ), made as materialized (
     select * from judged where refusal is null
   )`

/** The changes of stock and lines. `defaultWarehouse` is SQL for the warehouse of a new location. */
export const received = (kind: ReceivingKind, defaultWarehouse: string): string => `stock_change as materialized (
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
   })}, filled_line as (
     update ${kind.tables.lines} l set received = l.received + x.taken${lineChange(kind, 'x.taken')}
     from made m join line x using (position)
     where l.ctid = any (array(select place from line where taken > 0)) and l.ctid = x.place and l.tenant_id = $1 and x.taken > 0
   )`

/** The lines of the records that are shown, as they are afterwards, and what the receipt gave to each. `rows` has them. */
export const shown = (kind: ReceivingKind, rows: string): string => `shown as materialized (
     select l.position, ${lineTexts(kind)} as lines,
       jsonb_agg(jsonb_build_object('line_id', l.id, 'quantity', l.taken) order by l.id) filter (where l.taken > 0) as taken
     from (${rows}) l ${PRODUCT_OF_LINE}
     group by l.position
   )`

/** The columns for `shown` of a line `x` to which a receipt adds `added`, and gave `taken`. */
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

/** The receipts, the records and their events. */
export function stored(kind: ReceivingKind): string {
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
       h.taken as lines, s.id as movement_id, coalesce(s.created_at, clock_timestamp()) as created_at, null::timestamptz as undone_at, m.is_new_line
     from made m join shown h using (position) left join stock_movement s using (position)
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
