import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { lockedOrder } from '../order-states/index.ts'

/** SQL for the id of the order of the picking flow of which `flowId` is the id. A flow never changes its order. */
export const orderOfFlow = (flowId: string): string =>
  `(select order_id from picking_flows where tenant_id = $1 and id = ${flowId})`

const selectLocked = statement<[tenantId: number, flowId: number], { id: number }>(
  'lock_order_of_flow',
  `with ${lockedOrder(`id = ${orderOfFlow('$2')}`)} select id from locked_order`,
)

/**
 * Locks the order of a flow, in a transaction. Everything that happens to an order and its flows begins with that lock, so statements
 * that come after see picks and lines as they are, and events of an order are recorded in the order of occurrence. Throws `not_found`.
 */
export async function lockOrderOfFlow({ db, caller }: RequestContext, flowId: number): Promise<void> {
  const order = await db.runOne(selectLocked, [caller.tenantId, flowId])
  if (order === undefined) throw flowNotFound()
}

export function flowNotFound(): ServiceError {
  return new ServiceError('not_found', 'Picking flow not found')
}
