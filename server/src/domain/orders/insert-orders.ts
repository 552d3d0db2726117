import type { BatchedStatement } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import type { InsertedOrder } from './inserted-order.ts'
import { insertOneOrder } from './insert-one-order.ts'
import { insertOrdersSql } from './insert-orders-sql.ts'
import { WITH_POLICY, WITHOUT_POLICY } from './policy-parts.ts'
import {
  type Submission,
  valuesWithoutPolicy,
  type ValuesWithoutPolicy,
  valuesWithPolicy,
  type ValuesWithPolicy,
} from './submission-values.ts'

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
  groupOf: () => '',
  changedBy: ({ orders }) => orders.map(({ order_tenant_id }) => order_tenant_id),
  sizeOf: ({ orders }) => orders.reduce((lines, { order_detail }) => lines + order_detail.length, 0),
}

/** The same, quicker under the policy `off` and with primary barcodes. Otherwise it runs again with the other statement. */
export const insertOrders: BatchedStatement<Submission, InsertedOrder, ValuesWithoutPolicy> = {
  ...insertReservingOrders,
  statement: insert,
  valuesOf: valuesWithoutPolicy,
  alone: insertOneOrder,
  secondRun: {
    isNeeded: (rows) => rows.some(({ id, is_reserving, lacks_warehouse }) => is_reserving || (id === null && !lacks_warehouse)),
    instead: insertReservingOrders,
  },
}
