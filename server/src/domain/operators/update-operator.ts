import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { tenantAndSandbox } from '../tenants/index.ts'
import { operatorNotFound } from './get-operator.ts'
import { operatorColumns } from './operator-columns.ts'
import { operator, type Operator, updateOperatorInput } from './schemas.ts'

const changeOperator = statement<
  [
    tenantId: number,
    id: number,
    name: string | undefined,
    email: string | undefined,
    mayChangeStock: boolean | undefined,
    isActive: boolean | undefined,
  ],
  Operator
>({
  name: 'update_operator',
  connection: 'write',
  sql: `with changed as (
     update operators o set name = coalesce($3::text, o.name), email = coalesce($4::text, o.email),
       may_change_stock = coalesce($5::boolean, o.may_change_stock), is_active = coalesce($6::boolean, o.is_active)
     where o.tenant_id = $1 and o.id = $2
     returning ${operatorColumns('o')}
   ), signed_out as (
     -- A device of the sandbox can have a session of a live key.
     update sessions set operator_id = null
     where $6 = false and tenant_id = any (${tenantAndSandbox('$1')}) and operator_id = (select id from changed)
   )
   select * from changed`,
})

/** Changes the given fields of an operator. Throws `not_found`, `already_exists`. */
export const updateOperator = endpoint({
  name: 'operators.update',
  scope: 'admin',
  method: 'PUT',
  path: '/operators/{id}',
  summary: 'Update an operator',
  description: `Changes the given fields. A deactivated operator is signed out of every device. An operator who loses \`may_change_stock\` can no longer transfer, adjust or set stock. Picks that a device stored before are still accepted.`,
  errors: ['already_exists'],
  isAddition: true,
  input: updateOperatorInput,
  output: operator,
  run: async ({ db, caller }, { id, name, email, may_change_stock, is_active }) => {
    const row = await db.runOne(changeOperator, [caller.tenantId, id, name, email, may_change_stock, is_active])
    if (row === undefined) throw operatorNotFound()
    return row
  },
})
