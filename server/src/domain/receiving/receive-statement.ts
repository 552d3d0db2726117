import { statement, type Statement } from '../../database/statements/statement.ts'
import { isSentAgain } from '../records/index.ts'
import { further, type ReceivingKind, receiptJson, recordJson } from './kind.ts'
import { CHANGED, filled, judged, locked, received, shown, shownColumns, stored, wanted } from './receive-parts.ts'
import { MOST_LINES } from './schemas.ts'

/** The result of a receipt: the receipt if it was made, now or earlier; otherwise the `refusal`. */
export interface Received<Receipt, Rec> {
  call: number
  /** Whether the earlier receipt with this id is the same; null when there is no earlier one. */
  is_same: boolean | null
  refusal: Refusal | null
  state: string | null
  /** Quantity to receive: as sent, or as the barcode carries it. Null for none. */
  quantity: number | null
  /** What is still to come of the lines named by the input. */
  open: number | null
  receipt: Receipt | null
  record: Rec | null
}

type Refusal =
  | 'stale'
  | 'unmeasured'
  | 'alone'
  | 'over'
  | 'unknown'
  | 'fraction'
  | 'elsewhere'
  | 'unsellable'
  | 'sellable'
  | 'unannounced'
  | 'beyond'
  | 'untaken'
  | 'full'

export type ReceiveValues = [
  tenantId: number | undefined,
  recordIds: number[],
  productIds: (number | null)[],
  skus: (string | null)[],
  barcodes: (string | null)[],
  lineIds: (number | null)[],
  locationIds: (string | null)[],
  quantities: (number | null)[],
  receiptIds: (string | null)[],
  operatorIds: (number | null)[],
  sentNames: string[],
  dispositions: (string | null)[],
  createdBy: string | undefined,
]

/** Records with more lines are received into one by one: their responses are large. */
const FEW_LINES = 100

/**
 * Records receipts, each all or nothing. No row when there is no such record. The records differ; of receipts that turn out to be of the same
 * product, all but the first are `stale`.
 *
 * As in `insert_picks`, records are locked and lines read as of the beginning of the statement, and `revision` tells whether they are out of
 * date. What is rare is left to run `alone`, which keeps this statement small: repeats, records with many lines, new locations and lines.
 */
export function receiveTogether<Receipt, Rec>(kind: ReceivingKind): Statement<ReceiveValues, Received<Receipt, Rec>> {
  const { receipts } = kind.tables
  const isRepeat = `(select true from ${receipts} where tenant_id = $1 and record_id = c.record_id and id = c.receipt_id limit 1) is true`
  return statement({
    name: `receive_${kind.name}`,
    lane: 'write',
    sql: `with ${wanted(kind, `r.line_count > ${FEW_LINES} or ${isRepeat} or c.location_id is not null and k.warehouse_id is null`)},
   ${locked(kind, 'not w.is_left')}, ${filled(kind)}, ${judged(
     kind,
     `when l.position is null then 'alone' ${kind.receive.refusedQuantities(false)}
       when row_number() over (partition by w.product_id order by w.position) > 1 then 'stale'`,
   )}, ${received(kind, 'null::bigint')},
   ${shown(kind, `select ${shownColumns(kind, 'x.taken')} from line x join made m using (position)`)}, ${stored(kind)}
   select w.position::int - 1 as call, null::boolean as is_same, case when w.is_left then 'alone' else j.refusal end as refusal, j.state, w.quantity, j.open,
     case when e.id is not null then ${receiptJson(kind, 'e')} end as receipt,
     case when e.id is not null then ${recordJson(kind, 'h.lines', CHANGED)} end as record
   from wanted w left join judged j using (position) left join new_receipt e using (position) left join locked_record r on r.id = w.record_id
   left join shown h using (position)`,
  })
}

/** The same for one receipt in a transaction that has locked its record: finds the earlier one with the same id, and makes locations and lines. */
export function receiveAlone<Receipt, Rec>(kind: ReceivingKind): Statement<ReceiveValues, Received<Receipt, Rec>> {
  const { records, lines, receipts } = kind.tables
  const { newLine, isSame } = kind.receive
  return statement({
    name: `receive_${kind.name}_alone`,
    lane: 'write',
    sql: `with ${wanted(kind, 'false')}, earlier as materialized (
     select w.position, e.*, e.location_id is not distinct from w.location_id
       and e.operator_id is not distinct from w.operator_id${isSame}
       and coalesce(
         ${isSentAgain('e.quantity', 'e', 'w')} or e.quantity = w.quantity and e.line_id is null and w.line_id is null and e.product_id = w.product_id,
         false
       ) as is_same
     from wanted w cross join lateral (
       select * from ${receipts} where tenant_id = $1 and record_id = w.record_id and id = w.receipt_id limit 1
     ) e
   ), ${locked(kind, 'not exists (select from earlier)')}, ${filled(kind)}, ${judged(
     kind,
     `when l.position is null and r.line_count >= ${MOST_LINES} then 'full' ${kind.receive.refusedQuantities(true)}`,
   )}, new_line as (
     insert into ${lines} (tenant_id, record_id, product_id, quantity, received${further(Object.keys(newLine))})
     select $1, m.record_id, m.product_id, 0, m.quantity${further(Object.values(newLine))} from made m where m.is_new_line
     returning *
   ), ${received(kind, '(select warehouse_id from made)')},
   ${shown(
     kind,
     `select ${shownColumns(kind, 'case when m.position is null then 0 else x.taken end')} from line x left join made m using (position)
       union all
       select ${shownColumns(kind, '0', 'm.position', 'x.received')} from new_line x cross join made m`,
   )}, ${stored(kind)}
   select w.position::int - 1 as call, t.is_same, j.refusal, j.state, w.quantity, j.open,
     case when t.id is not null then ${receiptJson(kind, 't')} when e.id is not null then ${receiptJson(kind, 'e')} end as receipt,
     case when e.id is not null then ${recordJson(kind, 'h.lines', CHANGED)} else ${recordJson(kind, 'h.lines')} end as record
   from wanted w cross join lateral (select * from ${records} where tenant_id = $1 and id = w.record_id limit 1) r
   left join earlier t using (position) left join judged j using (position) left join new_receipt e using (position) left join shown h using (position)`,
  })
}
