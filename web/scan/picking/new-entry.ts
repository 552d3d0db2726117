import type { PickingFlowDetails } from '@fulfillment/sdk'
import type { About, PickBody } from '../queue/entry.ts'
import type { Picking } from './decision.ts'
import type { Walk } from './walk.ts'

/** The flow of a line. */
export const flowOf = ({ flows }: Walk, { order_detail_id }: Pick<PickBody, 'order_detail_id'>): PickingFlowDetails | undefined =>
  flows.find(({ lines }) => lines.some((line) => line.order_detail_id === order_detail_id))

/** What all entries of a flow have. */
export function common({ operator, now }: Pick<Picking, 'operator' | 'now'>, { id }: PickingFlowDetails, about: About) {
  return { flow_id: id, about, operator_id: operator.id, operator_email: operator.email, added_at: now }
}

/** What messages say of an entry of a flow. */
export const aboutOf = (
  { order_tenant_id, slot }: PickingFlowDetails,
  { product_name, location_code }: Pick<About, 'product_name' | 'location_code'>,
): About => ({ order_tenant_id, product_name, location_code, ...(slot === undefined ? {} : { slot }) })
