import { MAX_SHARED_SIZE } from '../../database/statements/call-batches.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { sawPolicy, wasReserving } from '../reservation-core/index.ts'
import type { InsertedOrder } from './inserted-order.ts'
import { insertOrders, insertReservingOrders } from './insert-orders.ts'
import { ordersOfBody } from './orders-of-body.ts'
import { type GivenOrder, refuseOrders } from './refuse-orders.ts'
import { createOrdersOutput, type CreatedOrders, type NewOrder, createOrdersInput } from './schemas.ts'
import { type AuditedRequest, type Submission, valuesInTurns } from './submission-values.ts'

/**
 * Creates the orders that do not exist yet, all or none. Throws `validation_error` for an unknown warehouse or hold, `creation_error` for a
 * barcode that no active product has, and `insufficient_stock` for a line that cannot be reserved in full.
 */
export const createOrders = endpoint({
  name: 'orders.create',
  scope: 'write:orders',
  method: 'POST',
  path: '/orders',
  summary: 'Create orders',
  description: `Creates one or several orders, all or none.

Under a [reservation policy](#tag/settings) stock is reserved for the orders. Under \`strict\`, an order that cannot be reserved in full is refused with \`insufficient_stock\`, unless it has \`allow_backorder\`.

An order whose \`order_tenant_id\` already exists is skipped and counted in \`existing_count\`, so the call is safe to retry. If a call contains the same \`order_tenant_id\` more than once, the first of these orders is created. Sends \`order/created\` for each created order.`,
  errors: ['creation_error', 'insufficient_stock'],
  inputOfBody: ordersOfBody,
  itemsField: 'orders',
  isOneStatement: true,
  input: createOrdersInput,
  output: createOrdersOutput,
  run: async (context, input) => {
    const given = firstOfEachIdentifier(input.orders)
    const created = given.length === 0 ? [] : await insert(context, given)
    return {
      created_count: created.length,
      existing_count: input.orders.length - created.length,
      orders: created,
    }
  },
})

function firstOfEachIdentifier(orders: readonly NewOrder[]): GivenOrder[] {
  const first = new Map<string, GivenOrder>()
  for (const [index, order] of orders.entries()) {
    if (!first.has(order.order_tenant_id)) first.set(order.order_tenant_id, { order, index })
  }
  return [...first.values()]
}

async function insert(context: RequestContext, given: readonly GivenOrder[]): Promise<CreatedOrders['orders']> {
  const { db, caller } = context
  const orders = given.map(({ order }) => ({ ...order, warehouse_id: order.warehouse_id ?? caller.defaultWarehouse.id }))
  const submission = { tenantId: caller.tenantId, orders, request: auditedRequest(context) }
  const rows = await insertSubmission(db, submission)
  const inserted = rows
    .toSorted((a, b) => a.position - b.position)
    .map((row) => ({ ...row, ...(given[row.position] as GivenOrder) }))
  if (inserted.some(({ id }) => id === null)) refuseOrders(inserted)
  return inserted.map(({ id, order, reservation_status }) => ({
    id: id as number,
    order_tenant_id: order.order_tenant_id,
    state_id: ORDER_STATES.pending,
    ...(reservation_status === null || reservation_status === undefined ? {} : { reservation_status }),
  }))
}

const auditedRequest = ({ caller, requestId, change }: RequestContext): AuditedRequest | undefined =>
  change?.entry && { entry: change.entry, keyName: caller.keyName, requestId }

async function insertSubmission(db: RequestContext['db'], submission: Submission): Promise<InsertedOrder[]> {
  const { tenantId } = submission
  const startedAtMs = performance.now()
  const rows =
    insertOrders.sizeOf(submission) <= MAX_SHARED_SIZE
      ? await db.runBatched(wasReserving(tenantId) ? insertReservingOrders : insertOrders, submission)
      : await insertMany(db, submission)
  const [first] = rows
  if (first !== undefined) sawPolicy(tenantId, first.is_reserving, startedAtMs)
  return rows
}

/** The audit entry comes first: its time is among the values. */
async function insertMany(db: RequestContext['db'], submission: Submission): Promise<InsertedOrder[]> {
  await submission.request?.entry.write()
  return await db.run(insertReservingOrders.statement, await valuesInTurns(submission), { connection: 'bulk' })
}
