import type { z } from 'zod'
import type { Queryable } from '../../database/database.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { namedUnlessUsed } from '../records/index.ts'
import { lockOrderOfReturn, orderOf, requireTaken } from './order-of-return.ts'
import { createReturnRecord, findReturnByReference, readReturn } from './return-calls.ts'
import { createReturnInput, type Return, returnRecord } from './schemas.ts'

type Input = z.infer<typeof createReturnInput>

/** Announces a return. Throws `validation_error`, `not_found`, `return_error` and `idempotency_conflict`. */
export const createReturn = endpoint({
  name: 'returns.create',
  scope: 'write:orders',
  method: 'POST',
  path: '/returns',
  summary: 'Announce a return',
  description: `Announces goods that come back, with or without an order. The order can be in any state. Together, the returns of an order contain at most the quantity of each product that was taken for the order: the quantity that completed flows picked or, in an order completed without picking, the ordered quantity.

A return never changes the order. Sending the same return again with its \`reference\` changes nothing and returns its current state, at any later time. Different content with the same \`reference\` is an \`idempotency_conflict\`.`,
  errors: ['not_found', 'return_error'],
  isAddition: true,
  input: createReturnInput,
  output: returnRecord,
  run: ({ caller, db }, input) => db.transaction((tx) => create(tx, caller, input), { rows: input.lines.length }),
})

async function create(tx: Queryable, caller: RequestContext['caller'], input: Input): Promise<Return> {
  const { tenantId, defaultWarehouse } = caller
  const reference = input.reference ?? null
  const order = await namedUnlessUsed(tx, findReturnByReference, tenantId, reference, orderOf(tx, tenantId, input))
  // Before the reference is looked for: a parallel call with the same one has ended by then.
  if (order !== undefined) await lockOrderOfReturn(tx, tenantId, order.id)
  const { order_id, order_tenant_id, reason = null, ...record } = input
  const id = await createReturnRecord(tx, caller, {
    ...record,
    own: { order_id: order?.id ?? null, order_tenant_id: order?.order_tenant_id ?? null, reason },
    ownOfLine: (line) => [line.reason ?? null],
    defaultWarehouseId: order?.warehouse_id ?? defaultWarehouse.id,
    sent: [order_id ?? null, order_tenant_id ?? null, reason],
    meant: [order?.id ?? null, reason],
    ...(order !== undefined && {
      check: (lines) => requireTaken(tx, tenantId, order.id, lines),
    }),
  })
  return readReturn(tx, tenantId, id)
}
