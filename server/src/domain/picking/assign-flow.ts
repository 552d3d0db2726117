import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { flowColumns, type FlowRow, shownFlow } from './flow-columns.ts'
import { lockOrderOfFlow } from './order-lock.ts'
import { assignFlowInput, pickingFlow } from './schemas.ts'

/** Lock the order first. No row when the flow is over. */
const changeOperator = statement<[tenantId: number, flowId: number, operatorEmail: string, operatorId: number | null], FlowRow>({
  name: 'assign_flow',
  connection: 'write',
  sql: `update picking_flows f set operator_email = $3, operator_id = $4::bigint, first_operator_email = coalesce(f.first_operator_email, f.operator_email)
   from orders o
   where f.tenant_id = $1 and f.id = $2 and f.state = 'started' and o.tenant_id = $1 and o.id = f.order_id
   returning ${flowColumns('f', 'o')}`,
})

const countAssignment = statement<[tenantId: number], never>({
  name: 'count_flow_assignment',
  connection: 'write',
  sql: `insert into flow_assignments as a (tenant_id, count) values ($1, 1)
   on conflict (tenant_id) do update set count = a.count + 1`,
})

/** Gives a running flow to another operator. Throws `not_found`, and `flow_error` when the flow is over. */
export const assignFlow = endpoint({
  name: 'flows.assign',
  scope: 'write:orders',
  method: 'POST',
  path: '/flows/{id}/assign',
  summary: 'Assign a picking flow',
  description:
    'Gives a running flow to another operator, who goes on with it. Picks so far are kept. Stock movements of later picks have the new `operator_id`. Sends no event.',
  errors: ['flow_error'],
  isAddition: true,
  input: assignFlowInput,
  output: pickingFlow,
  run: (context, { id, operator_email, operator_id }) => {
    return context.db.transaction(async (tx) => {
      await lockOrderOfFlow({ ...context, db: tx }, id)
      const flow = await tx.runOne(changeOperator, [context.caller.tenantId, id, operator_email, operator_id ?? null])
      if (flow === undefined) throw new ServiceError('flow_error', 'The picking flow is already completed or cancelled')
      await tx.run(countAssignment, [context.caller.tenantId])
      return shownFlow(flow)
    })
  },
})
