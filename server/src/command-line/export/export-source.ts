import type { z } from 'zod'
import { listOrdersInput, orderLine, orderSummary } from '../../domain/orders/index.ts'
import { product, listProductsInput } from '../../domain/products/index.ts'
import { lineReservation } from '../../domain/reservation-core/index.ts'
import { listMovementsInput, stockLevel, stockMovement } from '../../domain/stock/index.ts'
import { patiently } from '../api-client.ts'
import type { FulfillmentClient } from '../sdk.ts'
import { listOnce, type Listed } from './list-once.ts'

/** One record of an API response, or one row of CSV. */
export type Row = Record<string, unknown>

/** A batch of rows. `total` is the number of records in the list; undefined when the API does not return it. */
export interface Rows {
  rows: Row[]
  total: number | undefined
}

/** The parameters of an export's API calls. `signal` aborts them. */
export interface Reading {
  client: FulfillmentClient
  /** Query parameters of the list. */
  filters: Record<string, unknown>
  signal: AbortSignal
}

/** A list of the API that can be exported. */
export interface ExportSource {
  name: string
  description: string
  /** The API's schema of the query parameters. Parameters other than those for pages become options. */
  query: z.ZodObject | undefined
  /** The columns of CSV. */
  columns: readonly string[]
  /** The CSV rows of a record. Without it, each record is one row. */
  rowsOf?: (record: Row) => Row[]
  read(reading: Reading): AsyncGenerator<Rows>
}

/** Reads a list by page number. */
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
  description: 'Export the catalog, newest product first. Deleted products only with --is-active false',
  query: listProductsInput,
  columns: Object.keys(product.shape),
  read: listed(async ({ client, filters, signal }, page) => {
    const { products: rows, pagination } = await client.products.list({ ...filters, ...page }, { signal })
    return { rows, pagination }
  }),
}

const MOVEMENTS: ExportSource = {
  name: 'movements',
  description: 'Export stock movements, newest first',
  query: listMovementsInput,
  columns: Object.keys(stockMovement.shape),
  read: listed(async ({ client, filters, signal }, page) => {
    const { movements: rows, pagination } = await client.stock.movements({ ...filters, ...page }, { signal })
    return { rows, pagination }
  }),
}

const { order_detail: _, ...orderFields } = orderSummary.shape
const { id: __, ...lineFields } = orderLine.shape
/** Last, so that the others stay where they were before there were reservations. */
const RESERVATION_COLUMNS = ['reservation_status', ...Object.keys(lineReservation)]
const orderColumns = [...Object.keys(orderFields), 'order_detail_id', ...Object.keys(lineFields)]

const ORDERS: ExportSource = {
  name: 'orders',
  description: 'Export orders with their lines, newest first. CSV has one row per line',
  query: listOrdersInput,
  columns: [...orderColumns.filter((column) => !RESERVATION_COLUMNS.includes(column)), ...RESERVATION_COLUMNS],
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
  description: 'Export stock levels by product and location',
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
