import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { recordEvents } from '../events/index.ts'
import { applyStockChanges, shortage } from '../stock/index.ts'
import { lineChange, type ReceivingKind, receiptJson } from './kind.ts'
import { recordNotFound } from './read-record.ts'

interface Undone<Receipt> {
  state: string
  is_undone: boolean | null
  /** Stock at the location, when it is short. */
  available: number | null
  quantity: number | null
  location_id: string | null
  receipt: Receipt | null
}

/**
 * The function that undoes a receipt of a kind, in a transaction, and returns it. Undoing it again changes nothing. Throws `not_found`,
 * the error of the kind when the record is not `receiving`, and `adjustment_error` when stock is short.
 */
export function undoingOf<Receipt>(kind: ReceivingKind) {
  const undo = undoStatement<Receipt>(kind)
  return async (
    { db, caller }: Pick<RequestContext, 'db' | 'caller'>,
    { id, receipt_id, operator_id }: { id: number; receipt_id: string; operator_id?: number | undefined },
  ): Promise<Receipt> => {
    const { tenantId, defaultWarehouse, keyName } = caller
    const row = await db.runOne(undo, [tenantId, id, receipt_id, operator_id ?? null, defaultWarehouse.id, keyName])
    if (row === undefined) throw recordNotFound(kind)
    if (row.receipt === null) throw new ServiceError('not_found', 'Receipt not found')
    if (row.is_undone === true) return row.receipt
    if (row.state !== 'receiving')
      throw new ServiceError(kind.errorCode, `The ${kind.noun} is ${row.state}; its receipts can no longer be undone`)
    throw shortage(row.location_id as string, row.quantity as number, row.available)
  }
}

function undoStatement<Receipt>(kind: ReceivingKind) {
  const { records, lines, receipts } = kind.tables
  const parts = kind.receive
  return statement<
    [
      tenantId: number,
      recordId: number,
      receiptId: string,
      operatorId: number | null,
      defaultWarehouseId: number,
      createdBy: string,
    ],
    Undone<Receipt>
  >({
    name: `undo_${kind.name}_receipt`,
    connection: 'write',
    sql: `with locked_record as materialized (
     select * from ${records} where tenant_id = $1 and id = $2 for no key update
   ), locked_receipt as materialized (
     select e.*, r.state = 'receiving' and e.undone_at is null as is_due, ${parts.orderId} as order_id
     from locked_record r join ${receipts} e on e.tenant_id = $1 and e.record_id = $2 and e.id = $3::text
     for no key update of e
   ), locked_line as materialized (
     select l.id, x.quantity as returned
     from locked_receipt e cross join jsonb_to_recordset(e.lines) x (line_id bigint, quantity numeric)
     join ${lines} l on l.tenant_id = $1 and l.record_id = $2 and l.id = x.line_id
     where e.is_due
     order by l.id for no key update of l
   ), stock_change as materialized (
     select 1 as position, product_id, location_id, -quantity as amount, 'OUT' as movement_type, '${kind.reason}' as reason,
       $4::bigint as user_id, order_id, null::text as other_location_id
     from locked_receipt m where is_due and ${parts.isStocked}
   ), ${applyStockChanges({
     source: 'stock_change',
     rows: 'apart',
     amount: 'relative',
     eventReason: kind.reason,
     defaultWarehouse: '$5::bigint',
     createdBy: '$6::text',
   })}, undone as materialized (
     select * from locked_receipt where is_due and not exists (select from short_level)
   ), reopened_line as (
     update ${lines} l set received = l.received - x.returned${lineChange(kind, '-x.returned')}
     from undone m cross join locked_line x
     where l.tenant_id = $1 and l.record_id = $2 and l.id = x.id
   ), changed_record as (
     update ${records} r set total_received = r.total_received - m.quantity, revision = r.revision + 1, updated_at = clock_timestamp()
     from undone m where r.tenant_id = $1 and r.id = $2
   ), undone_receipt as (
     update ${receipts} e set undone_at = clock_timestamp() from undone m
     where e.tenant_id = $1 and e.record_id = $2 and e.id = $3
     returning e.*
   ), ${recordEvents('stock_event')}
   select r.state, coalesce(u.undone_at, e.undone_at) is not null as is_undone, s.available, e.quantity, e.location_id,
     case when u.id is not null then ${receiptJson(kind, 'u')} when e.id is not null then ${receiptJson(kind, 'e')} end as receipt
   from locked_record r left join locked_receipt e on true left join undone_receipt u on true left join short_level s on true`,
  })
}
