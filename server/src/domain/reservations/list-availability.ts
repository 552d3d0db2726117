import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import {
  LIST_ALL,
  LIST_BACKORDERED,
  LIST_FIRST,
  LIST_OF_PRODUCT,
  type ListedAvailability,
  type Row,
} from './availability-statements.ts'
import { listAvailabilityInput, listAvailabilityOutput } from './schemas.ts'

type Query = z.infer<typeof listAvailabilityInput>

/** From this offset on, the first rows do not suffice. */
const FAR_OFFSET = 1_000

/** What can be promised, by product and warehouse. */
export const listAvailability = endpoint({
  name: 'stock.availability',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock/availability',
  summary: 'List availability',
  description:
    'Quantity of each product in each warehouse that can be promised to orders. Without `product_id` and `sku`, products whose quantities are all 0 are left out. Nothing is reserved under the reservation policy `off`.',
  isAddition: true,
  input: listAvailabilityInput,
  output: listAvailabilityOutput,
  run: async ({ db, caller }, query) => {
    const rows = await rowsOf(db, caller.tenantId, query)
    const availability: ListedAvailability[] = []
    for (const { total: _, ...row } of rows) if (row.product_id !== null) availability.push(row)
    return { availability, pagination: paginationOf(query, rows[0]?.total ?? 0) }
  },
})

async function rowsOf(db: Queryable, tenantId: number, query: Query): Promise<Row[]> {
  const { product_id: product, sku, warehouse_id: warehouse, backordered, page, limit } = query
  const range = [tenantId, warehouse, (page - 1) * limit, limit] as const
  if (product !== undefined || sku !== undefined) return db.run(LIST_OF_PRODUCT, [...range, product, sku, backordered])
  if (backordered) return db.run(LIST_BACKORDERED, [...range])
  const isNear = warehouse === undefined && range[2] < FAR_OFFSET
  return (isNear ? await firstRows(db, range, query) : undefined) ?? db.run(LIST_ALL, [...range])
}

/** The page, if it is among the first rows. */
async function firstRows(
  db: Queryable,
  range: readonly [number, number | undefined, number, number],
  { page, limit }: Query,
): Promise<Row[] | undefined> {
  const rows = await db.run(LIST_FIRST, [...range])
  const total = rows[0]?.total ?? null
  const found = rows.filter(({ product_id: product }) => product !== null).length
  const isWhole = total !== null && found === Math.min(limit, Math.max(total - (page - 1) * limit, 0))
  return isWhole ? (rows as Row[]) : undefined
}
