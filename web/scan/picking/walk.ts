import type { PickingFlow, PickingFlowDetails } from '@fulfillment/sdk'

/** Names a walk: the id of a flow, or the id of a batch with a minus. */
export type WalkKey = number

/** What an operator picks in one walk: an order, or the orders of a batch by slot. */
export interface Walk {
  key: WalkKey
  flows: readonly PickingFlowDetails[]
}

/** The walk in which a flow is picked. */
export const walkKeyOf = ({ id, batch_id }: Pick<PickingFlow, 'id' | 'batch_id'>): WalkKey =>
  batch_id === undefined ? id : keyOfBatch(batch_id)

export const keyOfBatch = (batchId: number): WalkKey => -batchId

/** The batch that is picked in a walk; undefined if it is one order. */
export const batchOf = (key: WalkKey): number | undefined => (key < 0 ? -key : undefined)

/** Whether this operator picks the flow. */
export const isOf = ({ operator_email }: Pick<PickingFlow, 'operator_email'>, email: string): boolean =>
  operator_email.toLowerCase() === email.toLowerCase()

/** The walk of these flows. A batch is picked for its slots in order. */
export function walkOf(key: WalkKey, flows: Iterable<PickingFlowDetails>): Walk {
  const own = [...flows].filter((flow) => walkKeyOf(flow) === key)
  return { key, flows: own.toSorted((one, other) => (one.slot ?? 0) - (other.slot ?? 0)) }
}
