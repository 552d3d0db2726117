import { statement, type Statement } from '../../database/statements/statement.ts'
import { farPages, nearPages, pagesUntil } from './list-by-counts.ts'
import { listsMatching, listsMatchingShort } from './list-by-search.ts'
import { type ListRow, PLAIN, RESERVING, type Variant } from './list-page.ts'
import { orderDetail } from './order-detail.ts'

/** Orders by id, in page order, for a page that is sent in pieces. Without the total. */
function piece({ suffix, columns }: Variant): Statement<[tenantId: number, ids: readonly number[]], ListRow> {
  return statement({
    name: `list_orders_piece${suffix}`,
    connection: 'slow',
    sql: `select 0::bigint as total, o.id, o.order_tenant_id, o.state_id, o.assembly_date, o.customer_name, o.items_count, o.created_at, o.updated_at, o.has_shipments,
     ${orderDetail('o.id')} as order_detail${columns('true')}
   from orders o where o.tenant_id = $1 and o.id = any ($2::bigint[])
   order by o.created_at desc, o.id desc`,
  })
}

const listsOf = (variant: Variant) => ({
  near: nearPages(variant),
  far: farPages(variant),
  until: pagesUntil(variant),
  matching: listsMatching(variant),
  matchingShort: listsMatchingShort(variant),
  piece: piece(variant),
})

export type Lists = ReturnType<typeof listsOf>

/** The lists for tenants that do not reserve, and those that show reservations if the tenant has them. */
export const LISTS = { plain: listsOf(PLAIN), reserving: listsOf(RESERVING) }
