import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { joinFirst } from '../../errors/join-first.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { warehouseNotFound } from '../locations/index.ts'
import { START_REFUSALS, startFlows } from '../picking/index.ts'
import { earlierRecord, findReferenceIn, hashOf } from '../records/index.ts'
import { chooseOrders, type Rule } from './choose-orders.ts'
import { findOrders, requireFewLines, requireOrders, nameOfList } from './named-orders.ts'
import { readBatch } from './read-batch.ts'
import {
  createFlowBatchInput,
  DEFAULT_ORDERS,
  flowBatch,
  type FlowBatch,
  type FlowBatchRule,
  MAX_LINES,
  type NewFlowBatch,
} from './schemas.ts'

const findByReference = findReferenceIn('flow_batches')

const findWarehouse = statement<[tenantId: number, warehouseId: number], { id: number }>({
  name: 'find_warehouse_of_batch',
  connection: 'read',
  sql: 'select id from warehouses where tenant_id = $1 and id = $2',
})

const insertBatch = statement<
  [
    tenantId: number,
    reference: string | null,
    sent: Buffer,
    meant: Buffer,
    warehouseId: number,
    operatorEmail: string,
    operatorId: number | null,
    createdBy: string,
  ],
  { id: number }
>({
  name: 'insert_flow_batch',
  connection: 'write',
  sql: `insert into flow_batches (tenant_id, reference, sent_hash, content_hash, warehouse_id, operator_email, operator_id, created_by)
   values ($1, $2, $3, $4, $5, $6, $7, $8)
   on conflict (tenant_id, reference) do nothing
   returning id`,
})

/** Starts the flows of a batch. Throws `validation_error`, `flow_error` and `idempotency_conflict`. */
export const createFlowBatch = endpoint({
  name: 'flowBatches.create',
  scope: 'write:orders',
  method: 'POST',
  path: '/flow-batches',
  summary: 'Start a batch',
  description: `Starts a picking flow for each of up to 50 orders of one warehouse, all or none, to be picked in one walk. Each order gets a slot, such as a box on a cart. Together the orders have at most ${MAX_LINES} open lines.

Name the orders, or let a \`rule\` choose them. If named orders cannot be started, the call returns \`flow_error\` with \`details\` for all of them. A rule skips orders that another call is starting, and returns \`flow_error\` if no order is ready.

Record picks in the flows: \`POST /flows/{id}/picks\`. Lines that are not picked stay open. Sends the events of each flow, slot by slot. Sending the same batch again with its \`reference\` changes nothing and returns its current state, at any later time. Different content with the same \`reference\` is an \`idempotency_conflict\`.`,
  errors: ['flow_error'],
  isAddition: true,
  inputOfOperator: ({ id, email }) => ({ operator_id: id, operator_email: email }),
  input: createFlowBatchInput,
  output: flowBatch,
  run: ({ db, caller }, input) => db.transaction((tx) => create(tx, caller, input), { rows: MAX_LINES }),
})

async function create(tx: Queryable, caller: RequestContext['caller'], input: NewFlowBatch): Promise<FlowBatch> {
  const { tenantId, keyName } = caller
  const { reference = null, operator_email: operatorEmail, operator_id: operatorId = null } = input
  const target = await targetOf(tx, caller, input)
  const operator = [operatorEmail, operatorId]
  const content = { sent: hashOf([...target.sent, ...operator]), meant: hashOf([...target.meant, ...operator]) }
  const earlier = await earlierRecord(tx, findByReference, tenantId, reference, content)
  if (earlier !== undefined) return readBatch(tx, tenantId, earlier)
  const { warehouseId, choose } = await target.check()
  const values = [reference, content.sent, content.meant, warehouseId, operatorEmail, operatorId, keyName] as const
  // Before any order is locked: a parallel call with this reference has ended when this returns, and its orders are not in the way.
  const batch = await tx.runOne(insertBatch, [tenantId, ...values])
  const batchId = batch?.id ?? (await earlierRecord(tx, findByReference, tenantId, reference, content))
  if (batch !== undefined) await startOrders(tx, caller, input, { id: batch.id, orderIds: await choose() })
  return readBatch(tx, tenantId, batchId as number)
}

/** Which orders an input means. */
interface Target {
  /** For the hashes of the content. */
  sent: readonly unknown[]
  meant: readonly unknown[]
  /** Throws `validation_error`. The orders are chosen when the batch has its reference. */
  check: () => Promise<{ warehouseId: number; choose: () => Promise<number[]> }>
}

async function targetOf(tx: Queryable, caller: RequestContext['caller'], input: NewFlowBatch): Promise<Target> {
  if (input.rule != null) return targetOfRule(tx, caller, input.rule)
  const found = await findOrders(tx, caller.tenantId, input)
  return {
    sent: [input.order_ids ?? null, input.order_tenant_ids ?? null],
    meant: [found.map(({ id }) => id)],
    check: async () => {
      const { orderIds, warehouseId } = requireOrders(input, found)
      return { warehouseId, choose: async () => orderIds }
    },
  }
}

function targetOfRule(tx: Queryable, { tenantId, defaultWarehouse }: RequestContext['caller'], sent: FlowBatchRule): Target {
  const { max_orders: maxOrders, warehouse_id: warehouseId, assembly_until: assemblyUntil, single_line: singleLine } = sent
  const rule: Rule = {
    maxOrders: maxOrders ?? DEFAULT_ORDERS,
    warehouseId: warehouseId ?? defaultWarehouse.id,
    assemblyUntil: assemblyUntil ?? null,
    singleLine: singleLine ?? false,
  }
  return {
    sent: ['rule', maxOrders ?? null, warehouseId ?? null, assemblyUntil ?? null, singleLine ?? null],
    meant: ['rule', ...Object.values(rule)],
    check: async () => {
      if ((await tx.runOne(findWarehouse, [tenantId, rule.warehouseId])) === undefined)
        throw warehouseNotFound('rule.warehouse_id')
      return { warehouseId: rule.warehouseId, choose: () => chooseReady(tx, tenantId, rule) }
    },
  }
}

async function chooseReady(tx: Queryable, tenantId: number, rule: Rule): Promise<number[]> {
  const orderIds = await chooseOrders(tx, tenantId, rule)
  if (orderIds.length === 0) throw new ServiceError('flow_error', 'No order is ready to be picked')
  return orderIds
}

async function startOrders(
  tx: Queryable,
  caller: RequestContext['caller'],
  input: NewFlowBatch,
  { id, orderIds }: { id: number; orderIds: number[] },
): Promise<void> {
  const { flows, refusals } = await startFlows(tx, caller, {
    orders: orderIds.map((order) => ({ id: order, orderTenantId: null })),
    operatorEmail: input.operator_email,
    operatorId: input.operator_id ?? null,
    batchId: id,
  })
  if (refusals.length > 0) {
    const details = refusals.map(({ index, refusal }) => ({
      index,
      error: START_REFUSALS[refusal],
    }))
    // A number alone would be read as the id of an order.
    const nameOf = (index: number): string => (input.rule == null ? `${nameOfList(input)}[${index}]` : `Order ${orderIds[index]}`)
    const message = joinFirst(details.map(({ index, error }) => `${nameOf(index)}: ${error}`))
    throw new ServiceError('flow_error', message, { details })
  }
  // Again, under the locks: a flow of an order may have been cancelled meanwhile.
  requireFewLines(
    input,
    flows.reduce((sum, flow) => sum + flow.items_to_pick, 0),
  )
}
