import type { RequestContext } from '../context.ts'
import type { Queryable } from '../database/database.ts'
import { paginationOf } from '../fields.ts'
import { ORDER_STATE_NAMES, ORDER_STATES } from '../order-states/index.ts'
import { FILTERS, LIST, LIST_PIECE, listMatching, type ListRow, type ListStatement, type ListValues } from './list-statements.ts'
import type { OrderList, OrderListQuery } from './schemas.ts'

/** From here on it is quicker to find out on which days the page lies than to pass over what is before it. */
const FAR_OFFSET = 1_000

const ALL_STATES = Object.values(ORDER_STATES)

/** Lines of a piece, unless an order has more: some 100 kB. */
const LINES_OF_PIECE = 500

/**
 * Lists orders, newest first, with their exact number. When the orders have very many lines, they are sent in pieces: which orders the page
 * has is settled first, and each is shown as it is when its piece is read.
 */
export async function listOrders({ db, caller, answerInPieces }: RequestContext, query: OrderListQuery): Promise<OrderList> {
  const offset = (query.page - 1) * query.limit
  const filters = { ...query, customer_name: query.customer_name === undefined ? undefined : containing(query.customer_name) }
  const given = FILTERS.filter((filter) => filters[filter] !== undefined)
  const values: ListValues = [
    caller.tenantId,
    query.state_id ?? ALL_STATES,
    query.start_date ?? null,
    query.end_date ?? null,
    offset,
    query.limit,
    query.include_details,
    ...given.map((filter) => filters[filter] as string),
  ]
  const list = listFor(query, offset)
  // Those that may take long must not hold up the connections that all requests share.
  const isQuick = offset < FAR_OFFSET && !query.include_details && query.customer_name === undefined
  const rows = await (isQuick ? db.run(list, values) : db.runApart(list, values))
  const orders = rows.flatMap(orderOf)
  if (query.include_details && orders.some(({ order_detail }) => order_detail === undefined))
    answerInPieces({ field: 'orders', pieces: piecesOf(db, caller.tenantId, orders) })
  return { orders, pagination: paginationOf(query, rows[0]?.total ?? 0) }
}

async function* piecesOf(db: Queryable, tenantId: number, page: OrderList['orders']): AsyncGenerator<OrderList['orders']> {
  let ids: number[] = []
  let lines = 0
  for (const { id, items_count } of page) {
    if (ids.length > 0 && lines + items_count > LINES_OF_PIECE) {
      yield await pieceOf(db, tenantId, ids)
      ;[ids, lines] = [[], 0]
    }
    ids.push(id)
    lines += items_count
  }
  yield await pieceOf(db, tenantId, ids)
}

async function pieceOf(db: Queryable, tenantId: number, ids: readonly number[]): Promise<OrderList['orders']> {
  return (await db.runApart(LIST_PIECE, [tenantId, ids])).flatMap(orderOf)
}

function listFor(query: OrderListQuery, offset: number): ListStatement {
  const filters = FILTERS.filter((filter) => query[filter] !== undefined)
  if (query.customer_name !== undefined || query.order_tenant_id !== undefined) return listMatching(filters)
  if (query.assembly_date !== undefined) return offset < FAR_OFFSET ? LIST.byAssemblyDate : LIST.farByAssemblyDate
  if (offset >= FAR_OFFSET) return LIST.farByDay
  return query.start_date === undefined && query.end_date === undefined ? LIST.all : LIST.byDay
}

/** A LIKE pattern for texts that contain `text`. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}

/** None for the row that holds the total of an empty page. */
function orderOf(row: ListRow): OrderList['orders'] {
  if (row.id === null) return []
  const { id, order_tenant_id, state_id, assembly_date, customer_name, items_count, created_at, updated_at, order_detail } = row
  const state_name = ORDER_STATE_NAMES[state_id]
  const order = { id, order_tenant_id, state_id, state_name, assembly_date, customer_name, items_count, created_at, updated_at }
  return [order_detail === null ? order : { ...order, order_detail }]
}
