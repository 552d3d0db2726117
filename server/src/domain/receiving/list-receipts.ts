import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { type ReceivingKind, receiptJson } from './kind.ts'
import { recordNotFound } from './read-record.ts'

/** Lists the receipts of a record, newest first. Throws `not_found`. */
type ReceiptListing<Receipt> = (
  db: Queryable,
  tenantId: number,
  query: { id: number; page: number; limit: number },
) => Promise<{ receipts: Receipt[]; pagination: ReturnType<typeof paginationOf> }>

/** The function that lists the receipts of a kind. */
export function listingReceiptsOf<Receipt>(kind: ReceivingKind): ReceiptListing<Receipt> {
  const { records, receipts } = kind.tables
  const list = statement<
    [tenantId: number, recordId: number, offset: number, limit: number],
    { total: number; record_exists: boolean; receipt: Receipt | null }
  >({
    name: `list_${kind.name}_receipts`,
    connection: 'slow',
    sql: `with total as materialized (
     select count(*) as total from ${receipts} where tenant_id = $1 and record_id = $2
   ), page as materialized (
     select * from ${receipts} where tenant_id = $1 and record_id = $2 order by created_at desc, id desc limit $4::bigint offset $3::bigint
   )
   select t.total, exists (select from ${records} where tenant_id = $1 and id = $2) as record_exists,
     case when e.id is not null then ${receiptJson(kind, 'e')} end as receipt
   from total t left join page e on true
   order by e.created_at desc, e.id desc`,
  })
  return async (db, tenantId, { id, page, limit }) => {
    const rows = await db.run(list, [tenantId, id, (page - 1) * limit, limit])
    if (rows[0]?.record_exists !== true) throw recordNotFound(kind)
    return {
      receipts: rows.flatMap(({ receipt }) => (receipt === null ? [] : [receipt])),
      pagination: paginationOf({ page, limit }, rows[0].total),
    }
  }
}
