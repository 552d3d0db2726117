import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { LIST_LINES, LIST_RANKED, type ListedReservation, NEAR, type Row } from './reservation-statements.ts'
import { listReservationsInput, listReservationsOutput } from './schemas.ts'

type Query = z.infer<typeof listReservationsInput>

/** Who has reserved what, or waits for it. */
export const listReservations = endpoint({
  name: 'stock.reservations',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock/reservations',
  summary: 'List reservations',
  description:
    'Lines of open orders and of holds with something reserved or backordered. Lines of orders are in the order in which they are served: by assembly date, order id and line id. Empty under the reservation policy `off`.',
  isAddition: true,
  input: listReservationsInput,
  output: listReservationsOutput,
  run: async ({ db, caller }, query) => {
    const rows = await rowsOf(db, caller.tenantId, query)
    const reservations: ListedReservation[] = []
    for (const { total: _, ...row } of rows) if (row.product_id !== null) reservations.push(row)
    return { reservations, pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})

async function rowsOf(db: Queryable, tenantId: number, query: Query): Promise<Row[]> {
  const { page, limit, product_id: product, sku, warehouse_id: warehouse, order_id: order, hold_id: hold } = query
  const values = [tenantId, (page - 1) * limit, limit, warehouse, product, sku] as const
  // A reservation has an order or a hold.
  if (order !== undefined && hold !== undefined) return []
  if (order !== undefined) return db.run(LIST_LINES.ofOrder, [...values, order])
  if (hold !== undefined) return db.run(LIST_LINES.ofHold, [...values, hold])
  const { near, far } = LIST_RANKED[product === undefined && sku === undefined ? 'all' : 'ofProduct']
  return db.run(page * limit <= NEAR ? near : far, [...values])
}
