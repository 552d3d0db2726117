import type { BatchedLock } from '../../database/statements/batched-statement.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { lockedOrder } from '../order-states/index.ts'

/** SQL for the order id of the picking flow with the id `flowId`. A flow never changes its order. */
export const orderOfFlow = (flowId: string): string =>
  `(select order_id from picking_flows where tenant_id = $1 and id = ${flowId})`

const selectLocked = statement<[tenantId: number, flowId: number], { id: number }>({
  name: 'lock_order_of_flow',
  connection: 'write',
  sql: `with ${lockedOrder(`id = ${orderOfFlow('$2')}`)} select id from locked_order`,
})

/**
 * Locks the order of a flow, in a transaction. Every change of an order and its flows begins with this lock, so later statements see the
 * current picks and lines, and the events of an order are recorded in the order they happen. Throws `not_found`.
 */
export async function lockOrderOfFlow({ db, caller }: RequestContext, flowId: number): Promise<void> {
  const order = await db.runOne(selectLocked, [caller.tenantId, flowId])
  if (order === undefined) throw flowNotFound()
}

/** The same lock, for a statement that is run again. */
export function lockOfFlow(tenantId: number, flowId: number): BatchedLock {
  return { statement: selectLocked, values: [tenantId, flowId] }
}

export function flowNotFound(): ServiceError {
  return new ServiceError('not_found', 'Picking flow not found')
}
