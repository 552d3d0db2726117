import type { RequestContext } from '../context.ts'
import { MAX_SHARED_SIZE } from '../database/call-batches.ts'
import { joinFirst, ServiceError } from '../errors.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { insertOrders, valuesInTurns, type InsertedOrder, type Submission } from './insert-orders.ts'
import type { CreatedOrders, NewOrder } from './schemas.ts'

/** An order and its place in the submission, from 0. */
interface Submitted {
  order: NewOrder
  index: number
}

/**
 * Creates the orders that do not exist yet, all of them or none. Throws `validation_error` for an unknown warehouse, `creation_error`
 * for a barcode that no active product has.
 */
export async function createOrders(context: RequestContext, input: { orders: NewOrder[] }): Promise<CreatedOrders> {
  const submitted = firstOfEachIdentifier(input.orders)
  const created = submitted.length === 0 ? [] : await insert(context, submitted)
  return {
    created_count: created.length,
    existing_count: input.orders.length - created.length,
    orders: created,
  }
}

function firstOfEachIdentifier(orders: readonly NewOrder[]): Submitted[] {
  const first = new Map<string, Submitted>()
  for (const [index, order] of orders.entries()) {
    if (!first.has(order.order_tenant_id)) first.set(order.order_tenant_id, { order, index })
  }
  return [...first.values()]
}

async function insert({ db, caller }: RequestContext, submitted: readonly Submitted[]): Promise<CreatedOrders['orders']> {
  const orders = submitted.map(({ order }) => ({ ...order, warehouse_id: order.warehouse_id ?? caller.defaultWarehouse.id }))
  const submission = { tenantId: caller.tenantId, orders }
  const rows = await insertSubmission(db, submission)
  const inserted = rows
    .toSorted((a, b) => a.position - b.position)
    .map((row) => ({ ...row, ...(submitted[row.position] as Submitted) }))
  refuse(inserted)
  return inserted.map(({ id, order }) => ({
    id: id as number,
    order_tenant_id: order.order_tenant_id,
    state_id: ORDER_STATES.pending,
  }))
}

async function insertSubmission(db: RequestContext['db'], submission: Submission): Promise<InsertedOrder[]> {
  if (insertOrders.sizeOf(submission) <= MAX_SHARED_SIZE) return db.runBatched(insertOrders, submission)
  return db.run({ ...insertOrders.statement, lane: 'bulk' }, await valuesInTurns(submission))
}

function refuse(inserted: readonly (InsertedOrder & Submitted)[]): void {
  const lacking = inserted.filter(({ lacks_warehouse }) => lacks_warehouse)
  if (lacking.length > 0) {
    throw refusal(
      'validation_error',
      lacking.map(({ order, index }) => ({ order, index, error: `warehouse_id: no warehouse has the id ${order.warehouse_id}` })),
    )
  }
  const unknown = inserted.flatMap(({ order, index, unknown_barcodes: barcodes }) => {
    if (barcodes === null) return []
    return [{ order, index, error: `no active product has the barcode ${joinFirst(barcodes.map(quoted), ', ')}` }]
  })
  if (unknown.length > 0) throw refusal('creation_error', unknown)
}

function refusal(code: 'validation_error' | 'creation_error', refused: (Submitted & { error: string })[]): ServiceError {
  const message = joinFirst(refused.map(({ order, error }) => `Order ${quoted(order.order_tenant_id)}: ${error}`))
  return new ServiceError(code, message, { details: refused.map(({ index, error }) => ({ index, error })) })
}

const quoted = (text: string): string => `"${text}"`
