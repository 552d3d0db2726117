import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import {
  changeOrders,
  lockedOrder,
  ORDER_STATE_NAMES,
  ORDER_STATES,
  orderCancelledData,
  orderCompletedData,
  type OrderStateId,
  orderUpdatedData,
  PICKING_STATES,
} from '../order-states/index.ts'
import { RESERVING, settled, withReservationEvents } from '../reservation-core/index.ts'
import { cancelShipmentsOfOrder } from '../shipments/index.ts'
import { lockOrder, lockOrderToCancel } from './order-lock.ts'
import { RETURNED_STOCK } from './returned-stock.ts'
import { updateOrderInput, type OrderUpdate, updateOrderOutput, type UpdatedOrder } from './schemas.ts'

type Values = [
  tenantId: number,
  orderId: number,
  stateId: number | null,
  assemblyDate: string | null,
  nameGiven: boolean,
  name: string | null,
  addressGiven: boolean,
  address: string | null,
  keyName: string,
]
type Row = UpdatedOrder & { previous_state_id: OrderStateId; is_permitted: boolean }

const { completed, cancelled } = ORDER_STATES

/** For an order completed by hand: its completed picking flows that have picks. */
const FLOWS_THAT_PICKED = `from picking_flows f where f.tenant_id = $1 and f.order_id = o.id and f.completed_at is not null and f.items_picked > 0`
const completedByHand = {
  pickedBy: `coalesce((select f.operator_email ${FLOWS_THAT_PICKED} order by f.id desc limit 1), $9::text)`,
  startedAt: `coalesce((select f.started_at ${FLOWS_THAT_PICKED} order by f.id limit 1), o.created_at)`,
}

const FIELDS = ['assembly_date', 'customer_name', 'shipping_address', 'state_id', 'state_picking_id'] as const

const updateSql = (reservations: string): string => `with ${RESERVING}, ${lockedOrder('id = $2')}, wanted as materialized (
     select *,
       coalesce($4::date, assembly_date) as wanted_assembly_date,
       case when $5::boolean then $6::text else customer_name end as wanted_customer_name,
       case when $7::boolean then $8::text else shipping_address end as wanted_shipping_address,
       coalesce($3::smallint, state_id) as wanted_state_id,
       -- The transaction of a cancellation has cancelled the flow by now.
       case when $3 = ${cancelled} and state_picking_id = ${PICKING_STATES.started} then ${PICKING_STATES.cancelled} else state_picking_id end
         as wanted_state_picking_id
     from locked_order
   ), judged as materialized (
     select *,
       state_id not in (${completed}, ${cancelled})
         and (wanted_state_id = state_id or wanted_state_picking_id is distinct from ${PICKING_STATES.started}) as is_permitted,
       array_remove(array[${FIELDS.map((column) => `case when wanted_${column} is distinct from ${column} then '${column}' end`).join(', ')}], null) as updated_fields
     from wanted
   ), ${changeOrders({
     source: 'judged',
     set: Object.fromEntries(FIELDS.map((column) => [column, `p.wanted_${column}`])),
     when: 'p.is_permitted and cardinality(p.updated_fields) > 0',
     by: '$9::text',
   })}, order_event as (
     select 1 as position, 'order/updated' as topic, ${orderUpdatedData('o', '(select updated_fields from judged)')} as data from changed_order o
     union all
     select 2, 'order/completed', ${orderCompletedData('o', completedByHand)} from changed_order o where o.state_id = ${completed}
     union all
     select 2, 'order/cancelled', ${orderCancelledData('o', { reason: 'null::text', cancelledBy: '$9::text' })} from changed_order o where o.state_id = ${cancelled}
   ), ${reservations}, ${recordEvents(withReservationEvents('order_event'))}
   select j.id, j.order_tenant_id, j.wanted_state_id as state_id, j.wanted_assembly_date as assembly_date, j.wanted_customer_name as customer_name,
     j.wanted_shipping_address as shipping_address, coalesce(o.updated_at, j.updated_at) as updated_at, j.state_id as previous_state_id, j.is_permitted
   from judged j left join changed_order o on true`

const setOrder = statement<Values, Row>({
  name: 'update_order',
  connection: 'write',
  // A changed date changes the rank of the lines, and moves nothing by itself.
  sql: updateSql(
    settled({
      lines: `select id as order_id, null::bigint as order_line_id, false as from_elsewhere from changed_order where assembly_date <> previous_assembly_date`,
    }),
  ),
})
/** The same for a change of `state_id` to completed or cancelled. */
const endOrder = statement<Values, Row>({
  name: 'end_order',
  connection: 'write',
  sql: updateSql(
    settled({
      stock: RETURNED_STOCK,
      lines: 'select id as order_id, null::bigint as order_line_id, false as from_elsewhere from changed_order',
    }),
  ),
})

/**
 * Changes the given fields of an order that is neither completed nor cancelled. While its picking flow runs, the state can only be
 * changed to cancelled, which also cancels the flow. Throws `not_found`, `update_error`, and `adjustment_error` when a location cannot
 * hold the returned picks.
 */
export const updateOrder = endpoint({
  name: 'orders.update',
  scope: 'write:orders',
  method: 'PUT',
  path: '/orders/{id}',
  summary: 'Update an order',
  description: `Changes the given fields of an order that is neither completed nor cancelled. Sends \`order/updated\` when something changed, and also \`order/completed\` or \`order/cancelled\` when \`state_id\` becomes 5 or 7.

While a picking flow of the order runs, \`state_id\` can only be set to 7. This also cancels the flow and returns its picks to stock. Cancelling also cancels the open shipments of the order.`,
  errors: ['update_error', 'adjustment_error'],
  input: updateOrderInput,
  output: updateOrderOutput,
  run: async (context, input) => {
    if (input.state_id !== completed && input.state_id !== cancelled) return writeUpdate(context, input)
    // Events read the picks, so their statement must begin after the lock has stopped further picks.
    return context.db.transaction(async (tx) => {
      const inTransaction = { ...context, db: tx }
      const name = { id: input.id, orderTenantId: null }
      if (input.state_id === completed) {
        await lockOrder(inTransaction, name)
        return writeUpdate(inTransaction, input)
      }
      const { has_shipments: mayShip } = await lockOrderToCancel(inTransaction, name, null)
      const updated = await writeUpdate(inTransaction, input)
      if (mayShip === true) await cancelShipmentsOfOrder(tx, context.caller.tenantId, input.id, null)
      return updated
    })
  },
})

async function writeUpdate({ db, caller }: RequestContext, input: OrderUpdate): Promise<UpdatedOrder> {
  const ends = input.state_id === completed || input.state_id === cancelled
  const row = await db.runOne(ends ? endOrder : setOrder, [
    caller.tenantId,
    input.id,
    input.state_id ?? null,
    input.assembly_date ?? null,
    input.customer_name !== undefined,
    input.customer_name ?? null,
    input.shipping_address !== undefined,
    input.shipping_address ?? null,
    caller.keyName,
  ])
  if (row === undefined) throw new ServiceError('not_found', 'Order not found')
  const { previous_state_id: previous, is_permitted: isPermitted, ...order } = row
  if (!isPermitted) throw new ServiceError('update_error', reasonOfRefusal(previous))
  return order
}

function reasonOfRefusal(state: OrderStateId): string {
  return state === completed || state === cancelled
    ? `The order is ${ORDER_STATE_NAMES[state].toLowerCase()} and cannot be updated`
    : 'A picking flow of the order is running; complete or cancel it before you change state_id'
}
