import { jsonText } from '../events/index.ts'
import { flowBatchFields, flowBatchSlot } from './schemas.ts'
import { z } from 'zod'

/** The flows of a batch `r`. */
const FLOWS = 'from picking_flows f where f.tenant_id = $1 and f.batch_id = r.id'

/** SQL for the state of a batch `r`. */
export const STATE = `(
     select case when bool_or(f.state = 'started') then 'started' when bool_and(f.state = 'cancelled') then 'cancelled' else 'completed' end ${FLOWS}
   )`

const ENDED_AT = `(
     select case when not bool_or(f.state = 'started') then max(coalesce(f.completed_at, f.cancelled_at)) end ${FLOWS}
   )`

const SLOT = jsonText(flowBatchSlot, {
  slot: 'f.slot',
  flow_id: 'f.id',
  order_id: 'f.order_id',
  order_tenant_id: '(select order_tenant_id from orders where tenant_id = $1 and id = f.order_id)',
  state: 'f.state',
  items_to_pick: 'f.items_to_pick',
  items_picked: 'f.items_picked',
})

/** SQL for the JSON of a batch `r`, as the API shows it in lists; with `more`, SQL for the text of further fields, each after a comma. */
export function batchJson(more?: string): string {
  const text = jsonText(z.object(flowBatchFields), {
    id: 'r.id',
    reference: 'r.reference',
    state: STATE,
    warehouse_id: 'r.warehouse_id',
    operator_email: 'r.operator_email',
    operator_id: 'r.operator_id',
    created_by: 'r.created_by',
    created_at: 'r.created_at',
    ended_at: ENDED_AT,
  })
  const slots = `(select string_agg(${SLOT}, ',' order by f.slot) ${FLOWS})`
  return `(left(${text}, -1) || ',"slots":[' || ${slots} || ']'${more === undefined ? '' : ` || ${more}`} || '}')::json`
}
