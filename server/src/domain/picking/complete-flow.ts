import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import {
  changeOrders,
  lockedOrder,
  openQuantity,
  ORDER_STATES,
  orderCompletedData,
  orderUpdatedData,
  PICKING_STATES,
} from '../order-states/index.ts'
import { RESERVING, settled, withReservationEvents } from '../reservation-core/index.ts'
import { flowColumns, type FlowRow, shownFlow } from './flow-columns.ts'
import { endedFlows, recordFlowCounts } from './flow-counts.ts'
import { flowCompletedData } from './flow-events.ts'
import { lockOrderOfFlow, orderOfFlow } from './order-lock.ts'
import { requireOwnFlow } from './own-flow.ts'
import { countFlows } from './pick-counts.ts'
import { flowId, pickingFlow } from './schemas.ts'

const { completed, released } = ORDER_STATES

/** Start of the first flow of the order that still has picks. */
const PICKING_STARTED = `(
  select least(f.started_at, min(e.started_at)) from picking_flows e
  where e.tenant_id = $1 and e.order_id = o.id and e.state = 'completed' and e.items_picked > 0
)`

const SETTLED = settled({
  lines: `select id as order_id, null::bigint as order_line_id, false as from_elsewhere from changed_order where state_id = ${completed}`,
})

/**
 * Completes a flow. Lock the order first: flow and lines are read as of the beginning of the statement. Without `isAlone`, later statements
 * of the transaction settle and count the flow for the report. No row when the flow is over.
 */
const completion = (name: string, { isAlone }: { isAlone: boolean }) =>
  statement<[tenantId: number, flowId: number, keyName: string], FlowRow>({
    name,
    connection: 'write',
    sql: `with ${RESERVING}, completed_flow as (
     update picking_flows set state = 'completed', completed_at = clock_timestamp()
     where tenant_id = $1 and id = $2 and state = 'started'
     returning *
   ), ${lockedOrder(`id = ${orderOfFlow('$2')}`)}, judged as materialized (
     select o.*, not exists (
       select from order_lines l where l.tenant_id = $1 and l.order_id = o.id and ${openQuantity('l')} > 0
     ) as is_picked
     from locked_order o
     where exists (select from picking_flows f where f.tenant_id = $1 and f.id = $2 and f.state = 'started')
   ), ${changeOrders({
     source: 'judged',
     set: {
       state_id: `case when p.is_picked then ${completed} else ${released} end`,
       state_picking_id: String(PICKING_STATES.completed),
     },
     by: '$3::text',
   })}, ended_flow as (${endedFlows('completed_flow')}), ${recordFlowCounts('ended_flow')}, ${isAlone ? `${countFlows('completed_flow')}, ` : ''}flow_event as (
     select 1 as position, 'flow/completed' as topic, ${flowCompletedData('f', 'o')} as data from completed_flow f cross join changed_order o
     union all
     select 2, 'order/updated', ${orderUpdatedData('o', `array['state_id', 'state_picking_id']`)} from changed_order o
     union all
     select 3, 'order/completed', ${orderCompletedData('o', { pickedBy: 'f.operator_email', startedAt: PICKING_STARTED })}
     from changed_order o cross join completed_flow f where o.state_id = ${completed}
   ), ${isAlone ? `${SETTLED}, ${recordEvents(withReservationEvents('flow_event'))}` : recordEvents('flow_event')}
   select ${flowColumns('f', 'o')} from completed_flow f cross join changed_order o`,
  })

const endFlow = completion('complete_flow', { isAlone: true })

/** The same for one of several flows of a batch, which the caller settles and counts together. */
export const completeOneOfSeveral = completion('complete_flow_of_batch', { isAlone: false })

/** Counts flows of a batch that the transaction has completed, once for all: the time of each takes the picks of the whole batch. */
export const countCompletedFlows = statement<[tenantId: number, flowIds: number[]], never>({
  name: 'count_flows_of_batch',
  connection: 'write',
  sql: `with completed_flow as materialized (
     select * from picking_flows where tenant_id = $1 and id = any ($2::bigint[])
   ), ${countFlows('completed_flow')}
   select`,
})

/**
 * Completes a flow. When nothing is left to pick, the order is completed too; otherwise it is released again and a later flow picks the
 * rest. Throws `not_found`, and `flow_error` when the flow is over or another operator's.
 */
export const completeFlow = endpoint({
  name: 'flows.complete',
  scope: 'write:orders',
  method: 'POST',
  path: '/flows/{id}/complete',
  summary: 'Complete a picking flow',
  description: `When all lines are fulfilled, the order is completed (\`state_id\` 5). Otherwise it returns to \`state_id\` 2 and keeps its picks; a later flow picks the rest.

Sends \`flow/completed\`, \`order/updated\` and, for a completed order, \`order/completed\` with the picks of all its flows.`,
  errors: ['flow_error'],
  isAddition: true,
  input: flowId,
  output: pickingFlow,
  run: (context, input) => {
    return context.db.transaction(async (tx) => {
      await lockOrderOfFlow({ ...context, db: tx }, input.id)
      await requireOwnFlow(tx, context.caller, input.id)
      const flow = await tx.runOne(endFlow, [context.caller.tenantId, input.id, context.caller.keyName])
      if (flow === undefined) throw new ServiceError('flow_error', 'The picking flow is already completed or cancelled')
      return shownFlow(flow)
    })
  },
})
