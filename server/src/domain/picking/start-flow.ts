import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { recordEvents } from '../events/index.ts'
import { changeOrders, lockedOrder, ORDER_STATES, orderUpdatedData, PICKING_STATES } from '../order-states/index.ts'
import { flowColumns } from './flow-columns.ts'
import { recordFlowCounts } from './flow-counts.ts'
import { flowStartedData } from './flow-events.ts'
import { startFlowInput, pickingFlow, type PickingFlow } from './schemas.ts'

type Refusal = 'other_order' | 'completed' | 'cancelled' | 'running'
type Row =
  | ({ refusal: Refusal } & { [Field in keyof PickingFlow]: PickingFlow[Field] | null })
  | ({ refusal: null } & PickingFlow)

const { completed, cancelled, picking } = ORDER_STATES

const insertFlow = statement<
  [tenantId: number, orderId: number | null, orderTenantId: string | null, operatorEmail: string, operatorId: number | null],
  Row
>({
  name: 'start_flow',
  lane: 'write',
  sql: `with ${lockedOrder(`id = coalesce(
     (select id from orders where tenant_id = $1 and id = $2::bigint),
     (select id from orders where tenant_id = $1 and order_tenant_id = $3::text)
   )`)},
   locked_line as materialized (
     -- Locks the lines to read their current versions: a flow of the order may have ended while this statement waited for the order.
     select l.id, l.order_id, l.quantity - l.picked_quantity as remaining, l.picked_quantity <> l.picked_before_flow as is_changed
     from locked_order o join order_lines l on l.tenant_id = $1 and l.order_id = o.id
     order by l.id for no key update of l
   ), judged as materialized (
     select o.*, case
       when id <> $2 or order_tenant_id <> $3 then 'other_order'
       when state_id = ${completed} then 'completed'
       when state_id = ${cancelled} then 'cancelled'
       when state_picking_id = ${PICKING_STATES.started} then 'running'
     end as refusal
     from locked_order o
   ), new_flow as (
     insert into picking_flows (tenant_id, order_id, operator_id, operator_email, items_to_pick, total_quantity)
     select $1, o.id, $5::bigint, $4::text, open.items, open.quantity
     from judged o, (select count(*) as items, coalesce(sum(remaining), 0) as quantity from locked_line where remaining > 0) open
     where o.refusal is null
     returning *
   ), marked_line as (
     update order_lines l set picked_before_flow = l.picked_quantity
     from new_flow f join locked_line x on x.order_id = f.order_id and x.is_changed
     where l.tenant_id = $1 and l.order_id = f.order_id and l.id = x.id
   ), ${changeOrders({ source: 'judged', set: { state_id: String(picking), state_picking_id: String(PICKING_STATES.started) }, when: 'p.refusal is null' })},
   started_flow as (
     select state, 1 as change from new_flow
   ), ${recordFlowCounts('started_flow')}, flow_event as (
     select 1 as position, 'flow/started' as topic, ${flowStartedData('f', 'o')} as data from new_flow f cross join changed_order o
     union all
     select 2, 'order/updated', ${orderUpdatedData('o', `array_remove(array[case when o.previous_state_id <> ${picking} then 'state_id' end, 'state_picking_id'], null)`)}
     from changed_order o
   ), ${recordEvents('flow_event')}
   select j.refusal, ${flowColumns('f', 'j')} from judged j left join new_flow f on true`,
})

/**
 * Starts picking an order. Throws `not_found`, `validation_error` when order_id and order_tenant_id name different orders, `flow_error`
 * when the order is completed, cancelled or being picked.
 */
export const startFlow = endpoint({
  name: 'flows.start',
  scope: 'write:orders',
  method: 'POST',
  path: '/flows',
  summary: 'Start picking an order',
  description: `Starts a picking flow for an order that is neither completed nor cancelled and has no running flow. The order's \`state_id\` becomes 3 and its \`state_picking_id\` 1. Quantities picked in earlier flows are not picked again.

Sends \`flow/started\` and \`order/updated\`.`,
  errors: ['not_found', 'flow_error'],
  isAddition: true,
  inputOfOperator: ({ id, email }) => ({ operator_id: id, operator_email: email }),
  input: startFlowInput,
  output: pickingFlow,
  run: async ({ db, caller }, input) => {
    const row = await db.runOne(insertFlow, [
      caller.tenantId,
      input.order_id ?? null,
      input.order_tenant_id ?? null,
      input.operator_email,
      input.operator_id ?? null,
    ])
    if (row === undefined) throw new ServiceError('not_found', 'Order not found')
    if (row.refusal !== null) throw refused(row.refusal)
    const { refusal: _, ...flow } = row
    return flow
  },
})

function refused(refusal: Refusal): ServiceError {
  if (refusal === 'other_order') {
    const error = 'names another order than order_id'
    return new ServiceError('validation_error', `order_tenant_id: ${error}`, { details: [{ path: 'order_tenant_id', error }] })
  }
  return new ServiceError(
    'flow_error',
    refusal === 'running' ? 'The order already has a running picking flow' : `The order is ${refusal} and cannot be picked`,
  )
}
