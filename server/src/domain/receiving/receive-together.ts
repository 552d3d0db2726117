import { statement, type Statement } from '../../database/statements/statement.ts'
import { EVENT_TIME, recordEvents } from '../events/index.ts'
import { addStock } from '../stock/index.ts'
import { BEFORE_LINES, BEHIND_LINES, lineChange, lineText, type ReceivingKind, receiptText, recordText } from './kind.ts'
import { EVENTS, movementColumns, recordEvent, refusals, shownColumns, storedReceipt, wanted } from './receive-parts.ts'
import type { Made, ReceiveValues } from './receive-values.ts'

/** Records with more lines are received into one by one: their responses are large. */
const FEW_LINES = 100

/**
 * Records receipts that each fill one line. No row when there is no such record. The records differ; of receipts that turn out to be of the
 * same product, only the first is made.
 *
 * Calls and lines are read as of the beginning of the statement. Its first change is that of the records, in the order of their ids, and waits
 * for other receipts. `revision` and `state` then tell whether what was read is out of date.
 *
 * A receipt that is not made has a second run, by `receiveAlone`. Rare kinds of receipts always do, which keeps this statement small: repeats,
 * refusals, receipts of several lines or of more than is open, those in records with many lines, and those that make a location or a line.
 */
export function receiveTogether(kind: ReceivingKind): Statement<ReceiveValues, Made> {
  const { records, lines, receipts } = kind.tables
  const { orderId, isStocked } = kind.receive
  const isRepeat = `(select true from ${receipts} where tenant_id = $1 and record_id = w.record_id and id = w.receipt_id limit 1) is true`
  return statement({
    name: `receive_${kind.name}`,
    connection: 'write',
    sql: `with ${wanted(kind, {
      columns: `, r.state as seen_state, f.place, f.id as filled_id,
       coalesce(w.quantity <= f.open and (w.location_id is null or w.location_warehouse_id is not null), false)
         and not ${isRepeat} and case ${refusals(kind)} end is null and row_number() over (partition by w.product_id order by w.position) = 1 as is_ready`,
      // By the key of lines, of which there are few: with the index of products, each call would sort.
      joins: `
     left join lateral (
       select ctid as place, id, quantity - received as open from ${lines}
       where r.line_count <= ${FEW_LINES} and tenant_id = $1 and record_id = w.record_id and product_id + 0 = w.product_id
         and (w.line_id is null or id = w.line_id) and received < quantity
       order by id limit 1
     ) f on true`,
      // A product that has a line exists.
      isLookedUp: '(c.named_id is null or c.quantity <> trunc(c.quantity))',
      productId: 'coalesce(c.named_id, p.id)',
    })}, changed_record as (
     update ${records} r
     set state = 'receiving', total_received = r.total_received + w.quantity, revision = r.revision + 1, updated_at = clock_timestamp()
     from wanted w
     where r.tenant_id = $1 and r.id = any (array(select record_id from wanted where is_ready)) and r.id = w.record_id and w.is_ready
       and r.revision = w.seen_revision and r.state = w.seen_state
     returning w.position, ${orderId} as order_id, ${recordText(kind, BEFORE_LINES)} as record,
       case w.seen_state when 'expected' then ${kind.updated('w.seen_state')} end as event
   ), made as materialized (
     -- A row for each call, because the planner expects hardly any record to be changed, and would join what follows row by row with row.
     select w.*, r.order_id, r.record, r.event, r.position is not null as is_made
     from wanted w left join changed_record r using (position)
   ), stock_change as (
     select ${movementColumns(kind)}, location_warehouse_id as warehouse_id, sellable from made m where is_made and ${isStocked}
   ), ${addStock({ source: 'stock_change', eventReason: kind.reason, createdBy: '$13::text' })}, filled_line as (
     update ${lines} l set received = l.received + m.quantity${lineChange(kind, 'm.quantity')}
     from made m
     where l.ctid = any (array(select place from made where is_made)) and l.ctid = m.place and l.tenant_id = $1 and m.is_made
   ), new_receipt as materialized (
     select m.position, m.record_id, coalesce(m.receipt_id, m.new_id) as id, m.product_id, m.location_id, m.quantity, m.line_id, m.sent_name,
       m.operator_id, m.disposition, m.filled_id, m.record, m.is_made, ('[{"line_id":' || m.filled_id || ',"quantity":' || trim_scale(m.quantity) || '}]')::json as lines,
       s.id as movement_id, coalesce(s.created_at, clock_timestamp()) as created_at, null::timestamptz as undone_at
     from made m left join stock_movement s using (position)
   ), ${storedReceipt(kind, 'is_made')}, record_event as (
     ${recordEvent(kind, 'record_id', 'event')} from made where is_made and event is not null
   ), ${EVENT_TIME.cte}, ${recordEvents(EVENTS, { areOfOneTime: true })}
   select position::int - 1 as call, case when is_made then ${receiptText(kind, 'e')} end as receipt,
     case when is_made then e.record || ${linesOf(kind)} || ${BEHIND_LINES} end as record
   from new_receipt e`,
  })
}

/**
 * SQL for the texts of all lines of the record of a receipt `e`, as the receipt leaves them. Subqueries, because the planner would put a cache
 * before joins.
 */
const linesOf = (kind: ReceivingKind): string => `(
       select string_agg((select ${lineText(kind)} from products p where p.tenant_id = $1 and p.id = l.product_id limit 1), ',' order by l.id)
       from (
         select ${shownColumns(kind, { position: 'e.position', added: 'case x.id when e.filled_id then e.quantity else 0 end' })}
         from (select e.disposition) m cross join ${kind.tables.lines} x where x.tenant_id = $1 and x.record_id = e.record_id
       ) l
     )`
