import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Caller } from '../../procedures/context.ts'

const selectForeign = statement<[tenantId: number, flowId: number, operatorEmail: string], { operator_email: string }>({
  name: 'find_foreign_flow',
  connection: 'read',
  sql: `select operator_email from picking_flows where tenant_id = $1 and id = $2 and fold_case(operator_email) <> fold_case($3)`,
})

const selectName = statement<[tenantId: number, email: string], { name: string }>({
  name: 'find_operator_name',
  connection: 'read',
  sql: 'select name from operators where tenant_id = $1 and fold_case(email) = fold_case($2)',
})

/** The e-mail address of the operator whose flows alone the caller may change; null for all flows, as with a key or from the dashboard. */
export function requiredOperator({ session }: Caller): string | null {
  return session?.operator?.email ?? null
}

/** Throws when a device's operator may not change a flow. Lock the order first: until the end of the transaction it is not assigned. */
export async function requireOwnFlow(db: Queryable, caller: Caller, flowId: number): Promise<void> {
  const email = requiredOperator(caller)
  if (email === null) return
  const foreign = await db.runOne(selectForeign, [caller.tenantId, flowId, email])
  if (foreign !== undefined) throw await foreignFlow(db, caller, foreign.operator_email)
}

/** The error for a change of a flow that belongs to the operator with this e-mail address, and not to the caller's. */
export async function foreignFlow(db: Queryable, caller: Caller, email: string): Promise<ServiceError> {
  const { name = email } = (await db.runOne(selectName, [caller.tenantId, email])) ?? {}
  return foreignFlowOf(caller, name)
}

/** The error for a change of a flow that belongs to the operator with this name, and not to the caller's. */
export function foreignFlowOf({ session }: Caller, name: string): ServiceError {
  if (session?.operator?.isFormer === true)
    return new ServiceError(
      'operator_not_allowed',
      'What an operator scanned earlier can only be sent for their own picking flow',
    )
  return new ServiceError('flow_error', `The picking flow is ${name}'s`)
}
