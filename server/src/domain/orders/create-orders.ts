import { MAX_SHARED_SIZE } from '../../database/statements/call-batches.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { type ErrorDetail, joinFirst, ServiceError } from '../../procedures/errors.ts'
import { ORDER_STATES } from '../order-states/index.ts'
import { sawPolicy, wasReserving } from '../reserving/index.ts'
import {
  type InsertedOrder,
  insertOrders,
  insertReservingOrders,
  type Pack,
  type Submission,
  type SubmittingCall,
  valuesInTurns,
} from './insert-orders.ts'
import { ordersOfBody } from './orders-of-body.ts'
import { createOrdersOutput, type CreatedOrders, type NewOrder, createOrdersInput } from './schemas.ts'

/** An order and its position in the submission, from 0. */
interface Submitted {
  order: NewOrder
  index: number
}

/**
 * Creates the orders that do not exist yet, all or none. Throws `validation_error` for an unknown warehouse, and `creation_error` for a
 * barcode that no active product has.
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
    const submitted = firstOfEachIdentifier(input.orders)
    const created = submitted.length === 0 ? [] : await insert(context, submitted)
    return {
      created_count: created.length,
      existing_count: input.orders.length - created.length,
      orders: created,
    }
  },
})

function firstOfEachIdentifier(orders: readonly NewOrder[]): Submitted[] {
  const first = new Map<string, Submitted>()
  for (const [index, order] of orders.entries()) {
    if (!first.has(order.order_tenant_id)) first.set(order.order_tenant_id, { order, index })
  }
  return [...first.values()]
}

async function insert(context: RequestContext, submitted: readonly Submitted[]): Promise<CreatedOrders['orders']> {
  const { db, caller } = context
  const orders = submitted.map(({ order }) => ({ ...order, warehouse_id: order.warehouse_id ?? caller.defaultWarehouse.id }))
  const submission = { tenantId: caller.tenantId, orders, call: callOf(context) }
  const rows = await insertSubmission(db, submission)
  const inserted = rows
    .toSorted((a, b) => a.position - b.position)
    .map((row) => ({ ...row, ...(submitted[row.position] as Submitted) }))
  if (inserted.some(({ id }) => id === null)) refuse(inserted)
  return inserted.map(({ id, order, reservation_status }) => ({
    id: id as number,
    order_tenant_id: order.order_tenant_id,
    state_id: ORDER_STATES.pending,
    ...(reservation_status === null || reservation_status === undefined ? {} : { reservation_status }),
  }))
}

const callOf = ({ caller, requestId, change }: RequestContext): SubmittingCall | undefined =>
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
  await submission.call?.entry.write()
  return await db.run(insertReservingOrders.statement, await valuesInTurns(submission), { connection: 'bulk' })
}

/** Throws the error of the orders that failed. Some have, so all of the submission did. */
function refuse(inserted: readonly (InsertedOrder & Submitted)[]): void {
  const lacking = inserted.filter(({ lacks_warehouse }) => lacks_warehouse)
  if (lacking.length > 0) {
    throw refusal(
      'validation_error',
      lacking.map(({ order, index }) => ({ order, index, error: `warehouse_id: no warehouse has the id ${order.warehouse_id}` })),
    )
  }
  const withoutHold = inserted.filter(({ lacks_hold }) => lacks_hold)
  if (withoutHold.length > 0) {
    throw refusal(
      'validation_error',
      withoutHold.map(({ order, index }) => ({
        order,
        index,
        error: `hold: no hold in the order's warehouse has the reference ${quoted(order.hold ?? '')}`,
      })),
    )
  }
  const unknown = inserted.flatMap(({ order, index, unknown_barcodes: barcodes, packs }) =>
    barcodes === null ? [] : [{ order, index, error: unknownBarcodes(barcodes, packs ?? []) }],
  )
  if (unknown.length > 0) throw refusal('creation_error', unknown)
  const short = inserted.flatMap(({ order, index, short_lines: shortLines }) => {
    if (shortLines === null || shortLines === undefined) return []
    const lines = shortLines.map(({ position, available }) => ({ position, ...lineAt(order, position), available }))
    const texts = lines.map(({ barcode, quantity, available }) => `${quantity} of ${quoted(barcode)}, ${available} available`)
    return [{ order, index, error: `cannot be reserved in full: ${joinFirst(texts)}`, lines }]
  })
  if (short.length > 0) throw refusal('insufficient_stock', short)
}

function unknownBarcodes(barcodes: readonly string[], packs: readonly Pack[]): string {
  const ofPacks = new Map(
    packs.map(({ barcode, quantity, product_barcode: own }) => [
      barcode,
      `the barcode ${quoted(barcode)} is that of a pack of ${quantity}; order its units by the barcode ${quoted(own)}`,
    ]),
  )
  const others = [...new Set(barcodes)].filter((barcode) => !ofPacks.has(barcode))
  const errors = others.length === 0 ? [] : [`no active product has the barcode ${joinFirst(others.map(quoted), ', ')}`]
  return joinFirst([...errors, ...ofPacks.values()])
}

function lineAt({ order_detail }: NewOrder, position: number): { barcode: string; quantity: number } {
  const { barcode, quantity } = order_detail[position] as NewOrder['order_detail'][number]
  return { barcode, quantity }
}

type Refused = Submitted & { error: string; lines?: ErrorDetail['lines'] }

function refusal(code: 'validation_error' | 'creation_error' | 'insufficient_stock', refused: Refused[]): ServiceError {
  const message = joinFirst(refused.map(({ order, error }) => `Order ${quoted(order.order_tenant_id)}: ${error}`))
  const details = refused.map(({ index, error, lines }) => (lines === undefined ? { index, error } : { index, error, lines }))
  return new ServiceError(code, message, { details })
}

const quoted = (text: string): string => `"${text}"`
