import type { RequestContext } from '../context.ts'
import { joinFirst, ServiceError } from '../errors.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { insertOrders, type InsertedOrders, type OrderArrays } from './insert-orders.ts'
import type { CreatedOrders, NewOrder } from './schemas.ts'

/** A submission with more lines than this must not hold up the connections that all requests share. */
const MANY_LINES = 200

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
    orders: created.map(({ id, order_tenant_id }) => ({ id, order_tenant_id, state_id: ORDER_STATES.pending })),
  }
}

function firstOfEachIdentifier(orders: readonly NewOrder[]): Submitted[] {
  const first = new Map<string, Submitted>()
  for (const [index, order] of orders.entries()) {
    if (!first.has(order.order_tenant_id)) first.set(order.order_tenant_id, { order, index })
  }
  return [...first.values()]
}

async function insert({ db, caller }: RequestContext, submitted: readonly Submitted[]): Promise<InsertedOrders['created']> {
  const orders = submitted.map(({ order }) => order)
  const lines = orders.flatMap((order, index) => order.order_detail.map((line) => ({ ...line, position: index + 1 })))
  const values: OrderArrays = [
    caller.tenantId,
    orders.map((order) => order.order_tenant_id),
    orders.map((order) => order.assembly_date),
    orders.map((order) => order.customer_name ?? null),
    orders.map((order) => order.shipping_address ?? null),
    orders.map((order) => order.warehouse_id ?? caller.defaultWarehouse.id),
    lines.map((line) => line.position),
    lines.map((line) => line.barcode),
    lines.map((line) => line.quantity),
    lines.map((line) => line.price ?? null),
  ]
  const isLong = lines.length > MANY_LINES
  const result = await (isLong ? db.transaction((tx) => tx.runOne(insertOrders, values)) : db.runOne(insertOrders, values))
  const { created, ...unknown } = result as InsertedOrders
  refuseUnknown(unknown, submitted)
  return created
}

function refuseUnknown(unknown: Omit<InsertedOrders, 'created'>, submitted: readonly Submitted[]): void {
  const at = (position: number): Submitted => submitted[position - 1] as Submitted
  const warehouses = unknown.unknown_warehouses.map(at)
  if (warehouses.length > 0) {
    throw refusal(
      'validation_error',
      warehouses.map(({ order, index }) => ({ order, index, error: `no warehouse has the id ${order.warehouse_id}` })),
    )
  }
  const barcodes = unknown.unknown_barcodes.map(({ position, barcodes }) => ({
    ...at(position),
    barcodes: joinFirst(barcodes.map(quoted), ', '),
  }))
  if (barcodes.length > 0) {
    throw refusal(
      'creation_error',
      barcodes.map(({ order, index, barcodes }) => ({ order, index, error: `no active product has the barcode ${barcodes}` })),
    )
  }
}

function refusal(code: 'validation_error' | 'creation_error', refused: (Submitted & { error: string })[]): ServiceError {
  const message = joinFirst(refused.map(({ order, error }) => `Order ${quoted(order.order_tenant_id)}: ${error}`))
  return new ServiceError(code, message, { details: refused.map(({ index, error }) => ({ index, error })) })
}

const quoted = (text: string): string => `"${text}"`
