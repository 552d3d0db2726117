import type { Queryable } from '../../database/database.ts'
import { isFoundByIndex } from '../../database/statements/text-search.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { piecesOfLines } from '../../procedures/pieces-of-lines.ts'
import { ORDER_STATE_NAMES, ORDER_STATES } from '../order-states/index.ts'
import { isKnownNotToReserve, reservationPhase, sawPolicy, shownLines, shownStatus } from '../reservation-core/index.ts'
import { shipmentStatuses, type ShipmentStatuses, shownShipmentStatus } from '../shipments/index.ts'
import { FILTERS, LIST_RESERVED, type ReservedValues } from './list-by-search.ts'
import { type Head, type ListRow, type ListStatement, type ListValues } from './list-page.ts'
import { LISTS, type Lists } from './list-statements.ts'
import { listOrdersInput, listOrdersOutput, type OrderList, type OrderListQuery } from './schemas.ts'

/** From this offset on, finding the days of the page is quicker than skipping the orders before it. */
const FAR_OFFSET = 1_000

const ALL_STATES = Object.values(ORDER_STATES)

/**
 * Lists orders, newest first, with their exact number. A page with very many lines is sent in pieces: the ids of the page are read first,
 * then each order as of the time its piece is read.
 */
export const listOrders = endpoint({
  name: 'orders.list',
  scope: 'read:orders',
  method: 'GET',
  path: '/orders',
  summary: 'List orders',
  description: 'Newest first. Filters can be combined. `total` is exact.',
  readsReplica: true,
  input: listOrdersInput,
  output: listOrdersOutput,
  run: async ({ db, caller, isReplica, respondInPieces }, input) => {
    const query = withoutNeedlessDate(input)
    if (query === undefined) return { orders: [], pagination: paginationOf(input, 0) }
    const { tenantId } = caller
    const startedAtMs = performance.now()
    const mayReserve = !isKnownNotToReserve(tenantId)
    const lists = LISTS[mayReserve ? 'reserving' : 'plain']
    const status = mayReserve ? await filteredStatus(db, tenantId, query) : undefined
    const rows =
      status === undefined
        ? await rowsOf(db, lists, query, valuesOf(tenantId, query))
        : await db.run(LIST_RESERVED[status], reservedValuesOf(tenantId, query))
    const reservations = rows.find(({ id }) => id !== null)?.reservations
    if (reservations !== undefined && isReplica !== true) sawPolicy(tenantId, reservations !== null, startedAtMs)
    const orders = await ordersOf(db, tenantId, rows)
    if (query.include_details && orders.some(({ order_detail }) => order_detail === undefined))
      respondInPieces({
        field: 'orders',
        db,
        pieces: piecesOfLines(orders, ({ items_count }) => items_count),
        read: (source, ids) => readPiece(source, lists, tenantId, ids),
      })
    return { orders, pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})

function headOf(tenantId: number, query: OrderListQuery): Head {
  return [
    tenantId,
    query.state_id ?? ALL_STATES,
    query.start_date ?? null,
    query.end_date ?? null,
    (query.page - 1) * query.limit,
    query.limit,
    query.include_details,
  ]
}

function valuesOf(tenantId: number, query: OrderListQuery): ListValues {
  return [...headOf(tenantId, query), ...givenFilters(query).map((filter) => query[filter] as string)]
}

function reservedValuesOf(tenantId: number, query: OrderListQuery): ReservedValues {
  return [
    ...headOf(tenantId, query),
    query.assembly_date ?? null,
    query.assembly_until ?? null,
    query.order_tenant_id ?? null,
    query.customer_name ?? null,
  ]
}

const givenFilters = (query: OrderListQuery): (typeof FILTERS)[number][] =>
  FILTERS.filter((filter) => query[filter] !== undefined)

/** With an `assembly_date`, `assembly_until` says nothing more or excludes all orders: then undefined. */
function withoutNeedlessDate(query: OrderListQuery): OrderListQuery | undefined {
  const { assembly_until: until, ...rest } = query
  if (until === undefined || rest.assembly_date === undefined) return query
  return rest.assembly_date <= until ? rest : undefined
}

/** The reservation status to filter by. Under the policy `off`, no order has one, and the filter is ignored. */
async function filteredStatus(
  db: Queryable,
  tenantId: number,
  { reservation_status: status }: OrderListQuery,
): Promise<OrderListQuery['reservation_status']> {
  return status !== undefined && (await reservationPhase(db, tenantId)) !== undefined ? status : undefined
}

/** The orders of a piece with their lines. */
export async function readPiece(
  db: Queryable,
  { piece }: Lists,
  tenantId: number,
  ids: readonly number[],
): Promise<OrderList['orders']> {
  return ordersOf(db, tenantId, await db.run(piece, [tenantId, ids]))
}

async function rowsOf(db: Queryable, lists: Lists, query: OrderListQuery, values: ListValues): Promise<ListRow[]> {
  const isFar = (query.page - 1) * query.limit >= FAR_OFFSET
  const matching = listMatchingFor(lists, query)
  // A slow list must not hold up the shared connections.
  const isQuick = !query.include_details && query.customer_name === undefined && !(isFar && matching !== undefined)
  const options = isQuick ? {} : ({ connection: 'slow' } as const)
  if (matching !== undefined) return await db.run(matching, values, options)
  if (query.assembly_until !== undefined) return await db.run(lists.until, values)
  const kind = kindOf(query)
  if (!isFar) return await db.run(lists.near[kind], values, options)
  const { quick, unlimited } = lists.far[kind]
  const rows = isQuick ? await db.run(quick, values) : []
  return rows.length > 0 ? rows : await db.run(unlimited, values, { connection: 'slow' })
}

function listMatchingFor({ matching, matchingShort }: Lists, query: OrderListQuery): ListStatement | undefined {
  const isShort = query.customer_name !== undefined && !isFoundByIndex(query.customer_name)
  return (isShort ? matchingShort : matching).get(givenFilters(query).join())
}

function kindOf({ assembly_date, start_date, end_date }: OrderListQuery): keyof Lists['near'] {
  if (assembly_date !== undefined) return 'byAssemblyDate'
  return start_date === undefined && end_date === undefined ? 'all' : 'byDay'
}

/** The orders of the rows, with the shipment statuses of those that have one. */
async function ordersOf(db: Queryable, tenantId: number, rows: readonly ListRow[]): Promise<OrderList['orders']> {
  const statuses = await shipmentStatuses(db, tenantId, rows)
  return rows.flatMap((row) => orderOf(row, statuses))
}

/**
 * Drops the row that only holds the total of an empty page. Fields that most orders lack are assigned: two more copies of each order took 5 %
 * of the server's time.
 */
function orderOf(row: ListRow, statuses: ShipmentStatuses): OrderList['orders'] {
  if (row.id === null) return []
  const { id, order_tenant_id, state_id, assembly_date, customer_name, items_count, created_at, updated_at } = row
  const state_name = ORDER_STATE_NAMES[state_id]
  const own = { id, order_tenant_id, state_id, state_name, assembly_date, customer_name, items_count, created_at, updated_at }
  const order: OrderList['orders'][number] = own
  const reservations = row.reservations ?? undefined
  if (reservations !== undefined) Object.assign(order, shownStatus(reservations, state_id))
  if (statuses.size > 0) Object.assign(order, shownShipmentStatus(statuses, id))
  if (row.order_detail !== null)
    order.order_detail = reservations === undefined ? row.order_detail : shownLines(row.order_detail, reservations)
  return [order]
}
