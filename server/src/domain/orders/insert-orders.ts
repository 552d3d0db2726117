import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import type { ReservationStatus } from '../reservation-core/index.ts'
import { insertOrdersSql } from './insert-orders-sql.ts'
import { WITH_POLICY, WITHOUT_POLICY } from './policy-parts.ts'
import {
  type Submission,
  valuesWithoutPolicy,
  type ValuesWithoutPolicy,
  valuesWithPolicy,
  type ValuesWithPolicy,
} from './submission-values.ts'

/** The result of an order of a submission, by its position. An order that already exists has no row. */
export interface InsertedOrder {
  /** The position of the submission in its batch. */
  call: number
  position: number
  /** Null when this order made the submission fail. */
  id: number | null
  /** Whether its warehouse does not exist. */
  lacks_warehouse: boolean
  /** Its barcodes that no active product has, in line order. */
  unknown_barcodes: string[] | null
  is_reserving: boolean
  /** Those of the unknown barcodes that packs have. Undefined, like the next ones, in the statement for the policy `off`. */
  packs?: Pack[] | null
  /** Whether no hold has its reference, or only one of another warehouse. */
  lacks_hold?: boolean
  /** Under the policy `strict`, its lines that cannot be reserved in full, in line order. */
  short_lines?: ShortLine[] | null
  /** Null when the tenant does not reserve. */
  reservation_status?: ReservationStatus | null
}

/** A barcode of a pack, with the own one of its product. */
export interface Pack {
  barcode: string
  quantity: number
  product_barcode: string
}

/** A line that cannot be reserved in full. */
export interface ShortLine {
  /** From 0. */
  position: number
  /** What earlier lines leave. */
  available: number
}

const insert = statement<ValuesWithoutPolicy, InsertedOrder>({
  name: 'insert_orders',
  connection: 'write',
  sql: insertOrdersSql(WITHOUT_POLICY),
})
const insertReserving = statement<ValuesWithPolicy, InsertedOrder>({
  name: 'insert_orders_reserving',
  connection: 'write',
  sql: insertOrdersSql(WITH_POLICY),
})

/** Creates the orders of a submission, whatever the policy. */
export const insertReservingOrders: BatchedStatement<Submission, InsertedOrder, ValuesWithPolicy> = {
  statement: insertReserving,
  valuesOf: valuesWithPolicy,
  groupOf: ({ tenantId }) => String(tenantId),
  changedBy: ({ orders }) => orders.map(({ order_tenant_id }) => order_tenant_id),
  sizeOf: ({ orders }) => orders.reduce((lines, { order_detail }) => lines + order_detail.length, 0),
}

/** The same, quicker under the policy `off` and with primary barcodes. Otherwise it runs again with the other statement. */
export const insertOrders: BatchedStatement<Submission, InsertedOrder, ValuesWithoutPolicy> = {
  ...insertReservingOrders,
  statement: insert,
  valuesOf: valuesWithoutPolicy,
  secondRun: {
    isNeeded: (rows) => rows.some((row) => row.is_reserving || (row.unknown_barcodes !== null && !row.lacks_warehouse)),
    instead: insertReservingOrders,
  },
}
