import { statement, type Statement } from '../../database/statements/statement.ts'
import { isSentAgain } from '../records/index.ts'
import { further, lineChange, lineTexts, PRODUCT_OF_LINE, type ReceivingKind, receiptText, recordWithLines } from './kind.ts'
import { CHANGED, judgedColumns, locked, refusals, shownColumns, stockChanged, stored, wanted } from './receive-parts.ts'
import type { Received, ReceiveValues } from './receive-values.ts'
import { MAX_LINES } from './schemas.ts'

/**
 * Records a receipt of any kind, in a transaction that has locked its record: finds the earlier receipt with the same id, fills several lines,
 * and makes locations and lines.
 */
export function receiveAlone(kind: ReceivingKind): Statement<ReceiveValues, Received> {
  const { records, lines, receipts } = kind.tables
  const { newLine, isSame } = kind.receive
  return statement({
    name: `receive_${kind.name}_alone`,
    connection: 'write',
    sql: `with ${wanted(kind)}, earlier as materialized (
     select w.position, e.*, e.location_id is not distinct from w.location_id
       and e.operator_id is not distinct from w.operator_id${isSame}
       and coalesce(
         ${isSentAgain('e.quantity', 'e', 'w')} or e.quantity = w.quantity and e.line_id is null and w.line_id is null and e.product_id = w.product_id,
         false
       ) as is_same
     from wanted w cross join lateral (
       select * from ${receipts} where tenant_id = $1 and record_id = w.record_id and id = w.receipt_id limit 1
     ) e
   ), ${locked(kind, 'not exists (select from earlier)')}, ${filled(kind)}, ${judged(kind)}, new_line as (
     insert into ${lines} (tenant_id, record_id, product_id, quantity, received${further(Object.keys(newLine))})
     select $1, m.record_id, m.product_id, 0, m.quantity${further(Object.values(newLine))} from made m where m.is_new_line
     returning *
   ), ${stockChanged(kind, '(select warehouse_id from made)')}, ${filledLines(kind)},
   ${shown(
     kind,
     `select ${shownColumns(kind, { position: 'x.position', added: 'case when m.position is null then 0 else x.taken end' })} from line x left join made m using (position)
       union all
       select ${shownColumns(kind, { position: 'm.position', added: '0', taken: 'x.received' })} from new_line x cross join made m`,
   )}, ${stored(kind, { columns: 'h.taken as lines', joins: 'join shown h using (position)' })}
   select w.position::int - 1 as call, t.is_same, j.refusal, j.state, w.quantity, j.open,
     case when t.id is not null then ${receiptText(kind, 't')} when e.id is not null then ${receiptText(kind, 'e')} end as receipt,
     case when e.id is not null then ${recordWithLines(kind, 'h.lines', CHANGED)} else ${recordWithLines(kind, 'h.lines')} end as record
   from wanted w cross join lateral (select * from ${records} where tenant_id = $1 and id = w.record_id limit 1) r
   left join earlier t using (position) left join judged j using (position) left join new_receipt e using (position) left join shown h using (position)`,
  })
}

/** All lines of the record. Those that the receipt means are filled in order, and a surplus goes to the last of them. */
const filled = ({ tables: { lines } }: ReceivingKind): string => `line as materialized (
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
       ) x
       window lines_in_order as (partition by position, is_meant order by id)
     ) x
   )`

/** Why the receipt is refused, or that it is `made`. */
const judged = (kind: ReceivingKind): string => `judged as materialized (
     select ${judgedColumns(kind)}, r.warehouse_id, coalesce(l.total_open, 0) as open, l.position is null as is_new_line, case
       ${refusals(kind)}
       when not r.allow_over and l.position is null then 'unannounced'
       when not r.allow_over and l.total_open < w.quantity then 'beyond'
       when l.position is null and r.line_count >= ${MAX_LINES} then 'full'
       ${kind.receive.refusedQuantities}
     end as refusal
     from wanted w join locked_record r on r.id = w.record_id left join line l on l.position = w.position and l.is_meant and l.is_last
   ), made as materialized (
     select * from judged where refusal is null
   )`

/** The changes of lines. */
const filledLines = (kind: ReceivingKind): string => `filled_line as (
     update ${kind.tables.lines} l set received = l.received + x.taken${lineChange(kind, 'x.taken')}
     from made m join line x using (position)
     where l.ctid = any (array(select place from line where taken > 0)) and l.ctid = x.place and l.tenant_id = $1 and x.taken > 0
   )`

/** The lines of the record as they are afterwards, and what the receipt gave to each. `rows` has them. */
const shown = (kind: ReceivingKind, rows: string): string => `shown as materialized (
     select l.position, ${lineTexts(kind)} as lines,
       jsonb_agg(jsonb_build_object('line_id', l.id, 'quantity', l.taken) order by l.id) filter (where l.taken > 0) as taken
     from (${rows}) l ${PRODUCT_OF_LINE}
     group by l.position
   )`
