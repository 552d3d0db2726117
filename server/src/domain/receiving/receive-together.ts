import { statement, type Statement } from '../../database/statements/statement.ts'
import { lineChange, lineText, type ReceivingKind, receiptJson, recordJson } from './kind.ts'
import { CHANGED, judgedColumns, locked, refusals, shownColumns, stockChanged, stored, wanted } from './receive-parts.ts'
import type { Received, ReceiveValues } from './receive-values.ts'

/** Records with more lines are received into one by one: their responses are large. */
const FEW_LINES = 100

/**
 * Records receipts that each fill one line. No row when there is no such record. The records differ; of receipts that turn out to be of the
 * same product, all but the first are `stale`.
 *
 * As in `insert_picks`, records are locked and lines read as of the beginning of the statement, and `revision` tells whether they are out of
 * date. What is rare is left to run `alone`, which keeps this statement small: repeats, receipts of several lines or of more than is open,
 * records with many lines, new locations and lines.
 */
export function receiveTogether<Receipt, Rec>(kind: ReceivingKind): Statement<ReceiveValues, Received<Receipt, Rec>> {
  const { lines, receipts } = kind.tables
  const isRepeat = `(select true from ${receipts} where tenant_id = $1 and record_id = c.record_id and id = c.receipt_id limit 1) is true`
  return statement({
    name: `receive_${kind.name}`,
    lane: 'write',
    sql: `with ${wanted(kind, {
      columns: `, f.place, f.id as filled_id,
       r.line_count > ${FEW_LINES} or ${isRepeat} or c.location_id is not null and k.warehouse_id is null
         or (p.id is not null and c.quantity > coalesce(f.open, 0)) is true as is_left`,
      joins: `
     left join lateral (
       select ctid as place, id, quantity - received as open from ${lines}
       where tenant_id = $1 and record_id = c.record_id and product_id = p.id and (c.line_id is null or id = c.line_id) and received < quantity
       order by id limit 1
     ) f on true`,
    })}, ${locked(kind, 'not w.is_left')}, judged as materialized (
     -- is_made is a column of its own, because the planner expects hardly any row without a refusal, and would join those that are made one by one.
     select j.*, j.refusal is null as is_made from (
       select ${judgedColumns(kind)}, w.place, w.filled_id, false as is_new_line, case
         ${refusals(kind)}
         when row_number() over (partition by w.product_id order by w.position) > 1 then 'stale'
       end as refusal
       from wanted w join locked_record r on r.id = w.record_id
     ) j
   ), made as materialized (
     select * from judged where is_made
   ), ${stockChanged(kind, 'null::bigint')}, filled_line as (
     update ${lines} l set received = l.received + m.quantity${lineChange(kind, 'm.quantity')}
     from made m
     where l.ctid = any (array(select place from made)) and l.ctid = m.place and l.tenant_id = $1
   ), ${stored(kind, {
     columns: `m.filled_id, jsonb_build_array(jsonb_build_object('line_id', m.filled_id, 'quantity', m.quantity)) as lines`,
   })}
   select w.position::int - 1 as call, null::boolean as is_same, case when w.is_left then 'alone' else j.refusal end as refusal, j.state, w.quantity,
     null::numeric as open, case when e.id is not null then ${receiptJson(kind, 'e')} end as receipt,
     case when e.id is not null then ${recordJson(kind, linesOf(kind), CHANGED)} end as record
   from wanted w left join judged j using (position) left join new_receipt e using (position) left join locked_record r on r.id = w.record_id`,
  })
}

/** SQL for the texts of the lines of the record of a receipt `e`, as it leaves them. Subqueries, because the planner would put a cache before joins. */
const linesOf = (kind: ReceivingKind): string => `(
       select string_agg((select ${lineText(kind)} from products p where p.tenant_id = $1 and p.id = l.product_id limit 1), ',' order by l.id)
       from (
         select ${shownColumns(kind, 'case x.id when e.filled_id then e.quantity else 0 end', 'e.position')}
         from (select e.disposition) m cross join ${kind.tables.lines} x where x.tenant_id = $1 and x.record_id = e.record_id
       ) l
     )`
