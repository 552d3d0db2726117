import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Caller } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import {
  changeOrders,
  lockedOrders,
  openQuantity,
  ORDER_STATES,
  orderUpdatedData,
  PICKING_STATES,
} from '../order-states/index.ts'
import { flowColumns, type FlowRow, shownFlow } from './flow-columns.ts'
import { recordFlowCounts } from './flow-counts.ts'
import { flowStartedData } from './flow-events.ts'
import { startFlowInput, pickingFlow } from './schemas.ts'

export type StartRefusal = 'other_order' | 'completed' | 'cancelled' | 'running'
type Row = { call: number } & (
  | ({ refusal: StartRefusal | null } & { [Field in keyof FlowRow]: FlowRow[Field] | null })
  | ({ refusal: null } & FlowRow)
)
type Values = [
  tenantId: number,
  orderIds: (number | null)[],
  orderTenantIds: (string | null)[],
  operatorEmail: string,
  operatorId: number | null,
  batchId: number | null,
  keyName: string,
]

const { completed, cancelled, picking } = ORDER_STATES

/**
 * Starts a flow for each order, in this order, or for none: then a row says by its `refusal` what is wrong with its order. An order that does
 * not exist has no row. The only statement that starts flows.
 */
const insertFlows = statement<Values, Row>({
  name: 'start_flows',
  connection: 'write',
  sql: `with wanted as materialized (
     select w.*, coalesce(
       (select id from orders where tenant_id = $1 and id = w.order_id),
       (select id from orders where tenant_id = $1 and order_tenant_id = w.order_tenant_id)
     ) as id
     from unnest($2::bigint[], $3::text[]) with ordinality w (order_id, order_tenant_id, position)
   ), ${lockedOrders('array(select id from wanted)')},
   locked_line as materialized (
     -- Locks the lines to read their current versions: a flow of the order may have ended while this statement waited for the order.
     select l.id, l.order_id, ${openQuantity('l')} as remaining, l.picked_quantity <> l.picked_before_flow as is_changed
     from order_lines l where l.tenant_id = $1 and l.order_id = any (array(select id from locked_order))
     order by l.order_id, l.id for no key update
   ), judged as materialized (
     select w.position, o.*, case
       when o.id <> w.order_id or o.order_tenant_id <> w.order_tenant_id then 'other_order'
       when o.state_id = ${completed} then 'completed'
       when o.state_id = ${cancelled} then 'cancelled'
       when o.state_picking_id = ${PICKING_STATES.started} then 'running'
     end as refusal
     from wanted w join locked_order o using (id)
   ), startable as materialized (
     select * from judged where not exists (select from judged where refusal is not null)
   ), new_flow as (
     insert into picking_flows (tenant_id, order_id, operator_id, operator_email, items_to_pick, total_quantity, batch_id, slot)
     select $1, o.id, $5::bigint, $4::text, coalesce(open.items, 0), coalesce(open.quantity, 0), $6::bigint, case when $6 is not null then o.position end
     from startable o left join (
       select order_id, count(*) as items, sum(remaining) as quantity from locked_line where remaining > 0 group by order_id
     ) open on open.order_id = o.id
     order by o.position
     returning *
   ), marked_line as (
     update order_lines l set picked_before_flow = l.picked_quantity
     from new_flow f join locked_line x on x.order_id = f.order_id and x.is_changed
     where l.tenant_id = $1 and l.order_id = any (array(select order_id from new_flow)) and l.order_id = x.order_id and l.id = x.id
   ), ${changeOrders({ source: 'startable', set: { state_id: String(picking), state_picking_id: String(PICKING_STATES.started) }, by: '$7::text' })},
   started_flow as (
     select state, count(*) as change from new_flow group by state
   ), ${recordFlowCounts('started_flow')}, flow_event as (
     select 2 * s.position - 1 as position, 'flow/started' as topic, ${flowStartedData('f', 'o')} as data
     from startable s join new_flow f on f.order_id = s.id join changed_order o on o.id = s.id
     union all
     select 2 * s.position, 'order/updated', ${orderUpdatedData('o', `array_remove(array[case when o.previous_state_id <> ${picking} then 'state_id' end, 'state_picking_id'], null)`)}
     from startable s join changed_order o on o.id = s.id
   ), ${recordEvents('flow_event')}
   select j.position::int - 1 as call, j.refusal, ${flowColumns('f', 'j')}
   from judged j left join new_flow f on f.order_id = j.id order by j.position`,
})

/** A flow of each order, or for each what is wrong: some have a refusal, all others neither. */
interface Started {
  flows: FlowRow[]
  /** By the position of the order. */
  refusals: { index: number; refusal: StartRefusal }[]
}

/** Starts flows of orders, all or none, in the slots of a batch if there is one. Orders that do not exist are left out. */
export async function startFlows(
  db: Queryable,
  { tenantId, keyName }: Caller,
  { orders, operatorEmail, operatorId, batchId }: NewFlows,
): Promise<Started> {
  const rows = await db.run(insertFlows, [
    tenantId,
    orders.map(({ id }) => id),
    orders.map(({ orderTenantId }) => orderTenantId),
    operatorEmail,
    operatorId,
    batchId,
    keyName,
  ])
  return {
    flows: rows.flatMap((row) => (row.id === null ? [] : [row as FlowRow])),
    refusals: rows.flatMap(({ call, refusal }) => (refusal === null ? [] : [{ index: call, refusal }])),
  }
}

interface NewFlows {
  orders: readonly { id: number | null; orderTenantId: string | null }[]
  operatorEmail: string
  operatorId: number | null
  /** The batch to which the flows belong, in slots 1, 2, 3 and so on; null for none. */
  batchId: number | null
}

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
    const { flows, refusals } = await startFlows(db, caller, {
      orders: [{ id: input.order_id ?? null, orderTenantId: input.order_tenant_id ?? null }],
      operatorEmail: input.operator_email,
      operatorId: input.operator_id ?? null,
      batchId: null,
    })
    const [[flow], [problem]] = [flows, refusals]
    if (problem !== undefined) throw refused(problem.refusal)
    if (flow === undefined) throw new ServiceError('not_found', 'Order not found')
    return shownFlow(flow)
  },
})

/** Why no flow of an order can be started. */
export const START_REFUSALS: Readonly<Record<StartRefusal, string>> = {
  other_order: 'names a different order than order_id',
  completed: 'The order is completed and cannot be picked',
  cancelled: 'The order is cancelled and cannot be picked',
  running: 'The order already has a running picking flow',
}

function refused(refusal: StartRefusal): ServiceError {
  const error = START_REFUSALS[refusal]
  return refusal === 'other_order' ? invalidField('order_tenant_id', error) : new ServiceError('flow_error', error)
}
