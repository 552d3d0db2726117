import { statement } from '../../database/statements/statement.ts'
import { exportedList, rowsToScan, type ScannedRow, scanList, scanned } from '../../procedures/exported-list.ts'
import { piecesOfLines } from '../../procedures/pieces-of-lines.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { reservationPhase } from '../reservation-core/index.ts'
import { readPiece } from './list-orders.ts'
import { BEFORE, ordersOfStates, SINCE } from './list-page.ts'
import { LISTS } from './list-statements.ts'
import { listOrdersInput, orderLine, type OrderList, orderSummary } from './schemas.ts'

type Order = OrderList['orders'][number]

const exportOrders = statement<
  [
    tenantId: number,
    stateIds: readonly number[],
    startDate: string | undefined,
    endDate: string | undefined,
    positionAt: string,
    positionId: number,
    limit: number,
    assemblyDate: string | undefined,
    orderTenantId: string | undefined,
    customerName: string | undefined,
    assemblyUntil: string | undefined,
  ],
  ScannedRow & { id: number | null; items_count: number | null }
>({
  name: 'export_orders',
  connection: 'slow',
  sql: `with ${scanned({
    source: `select id, created_at from (
       select * from ${ordersOfStates('(created_at, id) < ($5::timestamptz, $6::bigint)', SINCE, BEFORE, 'limit 10000')} o
       order by created_at desc, id desc limit 10000
     ) o limit $7::bigint`,
    record: `select o.id, o.items_count from orders o
     where o.tenant_id = $1 and o.id = n.id and ($8::date is null or o.assembly_date = $8) and ($9::text is null or o.order_tenant_id = $9)
       and ($10::text is null or strpos(fold_case(o.customer_name), (select fold_case($10))) > 0)
       and ($11::date is null or o.assembly_date <= $11)
     limit 1`,
    columns: 'r.id, r.items_count',
  })}`,
})

const { order_detail: _, ...orderFields } = orderSummary.shape
const { id: __, ...lineFields } = orderLine.shape

/** Orders with their lines, newest first: a row for each line, as of the time when the order is read. */
export const exportedOrders = exportedList({
  name: 'orders',
  scope: 'read:orders',
  query: listOrdersInput,
  columns: [...Object.keys(orderFields), 'order_detail_id', ...Object.keys(lineFields)],
  async *read(db, tenantId, query) {
    const { state_id = Object.values(ORDER_STATES), start_date, end_date, reservation_status } = query
    const filters = [query.assembly_date, query.order_tenant_id, query.customer_name, query.assembly_until] as const
    const limit = rowsToScan(filters)
    const isIgnored = reservation_status === undefined || (await reservationPhase(db, tenantId)) === undefined
    const batches = scanList(limit, ({ at, id }) =>
      db.run(exportOrders, [tenantId, state_id, start_date, end_date, at, id, limit, ...filters]),
    )
    for await (const rows of batches) {
      const found = rows.flatMap(({ id, items_count }) => (id === null ? [] : [{ id, items_count: items_count ?? 0 }]))
      for (const ids of piecesOfLines(found, (order) => order.items_count)) {
        const orders = await readPiece(db, LISTS.reserving, tenantId, ids)
        yield orders.filter((order) => isIgnored || order.reservation_status === reservation_status).flatMap(linesOf)
      }
    }
  },
})

function linesOf({ order_detail = [], ...order }: Order) {
  if (order_detail.length === 0) return [order]
  return order_detail.map(({ id, ...line }) => ({ ...order, order_detail_id: id, ...line }))
}
