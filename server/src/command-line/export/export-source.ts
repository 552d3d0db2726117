import type { z } from 'zod'
import { listOrdersInput, orderLine, orderSummary } from '../../orders/index.ts'
import { product, productQuery } from '../../products/index.ts'
import { movementsInput, stockLevel, stockMovement } from '../../stock/index.ts'
import { patiently } from '../api-client.ts'
import type { FulfillmentClient } from '../sdk.ts'
import { listOnce, type Listed } from './list-once.ts'

/** One record as the API gives it, or one row of CSV. */
export type Row = Record<string, unknown>

/** Some rows; `total` is how many there are in all, undefined where the API does not say. */
export interface Rows {
  rows: Row[]
  total: number | undefined
}

/** A call of the client, ended by `signal`. */
interface Reading {
  client: FulfillmentClient
  /** Query parameters of the list. */
  filters: Record<string, unknown>
  signal: AbortSignal
}

/** Something that can be exported. */
export interface ExportSource {
  name: string
  description: string
  /** The API's own schemas of the query: what is not about pages can be an option. */
  query: z.ZodObject | undefined
  /** The columns of CSV. */
  columns: readonly string[]
  /** The rows of CSV of a record; a record is a row where this is absent. */
  rowsOf?: (record: Row) => Row[]
  read(reading: Reading): AsyncGenerator<Rows>
}

/** A list by page number, read through once. */
function listed(
  fetchPage: (
    reading: Reading,
    page: { page: number; limit: number },
  ) => PromiseLike<{ rows: Listed[]; pagination: { total: number } }>,
): ExportSource['read'] {
  return (reading) =>
    listOnce(async (page, limit) => {
      const { rows, pagination } = await patiently(() => fetchPage(reading, { page, limit }), reading.signal)
      return { rows: rows as (Listed & Row)[], total: pagination.total }
    })
}

const PRODUCTS: ExportSource = {
  name: 'products',
  description: 'The catalog, newest first; without deleted products unless --is-active false asks for them',
  query: productQuery,
  columns: Object.keys(product.shape),
  read: listed(async ({ client, filters, signal }, page) => {
    const { products: rows, pagination } = await client.products.list({ ...filters, ...page }, { signal })
    return { rows, pagination }
  }),
}

const MOVEMENTS: ExportSource = {
  name: 'movements',
  description: 'Stock movements, newest first',
  query: movementsInput,
  columns: Object.keys(stockMovement.shape),
  read: listed(async ({ client, filters, signal }, page) => {
    const { movements: rows, pagination } = await client.stock.movements({ ...filters, ...page }, { signal })
    return { rows, pagination }
  }),
}

const { order_detail: _, ...orderFields } = orderSummary.shape
const { id: __, ...lineFields } = orderLine.shape

const ORDERS: ExportSource = {
  name: 'orders',
  description: 'Orders with their lines, newest first; CSV has one row a line',
  query: listOrdersInput,
  columns: [...Object.keys(orderFields), 'order_detail_id', ...Object.keys(lineFields)],
  rowsOf: ({ order_detail, ...order }) => {
    const lines = order_detail as Row[]
    return lines.length === 0 ? [order] : lines.map(({ id, ...line }) => ({ ...order, order_detail_id: id, ...line }))
  },
  read: listed(async ({ client, filters, signal }, page) => {
    const { orders: rows, pagination } = await client.orders.list({ ...filters, ...page, include_details: true }, { signal })
    return { rows, pagination }
  }),
}

const STOCK: ExportSource = {
  name: 'stock',
  description: 'Stock levels by product and location',
  query: undefined,
  columns: Object.keys(stockLevel.shape),
  read: readLevels,
}

async function* readLevels({ client, signal }: Reading): AsyncGenerator<Rows> {
  let after: string | undefined
  do {
    const cursor = after
    const { levels, next_cursor } = await patiently(() => client.stock.levels({ after: cursor, limit: 100 }, { signal }), signal)
    yield { rows: levels, total: undefined }
    after = next_cursor ?? undefined
  } while (after !== undefined)
}

export const EXPORT_SOURCES = [PRODUCTS, STOCK, MOVEMENTS, ORDERS]
