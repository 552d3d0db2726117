import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { operatorColumns } from './operator-columns.ts'
import { operator, type Operator, operatorId } from './schemas.ts'

const selectOperator = statement<[tenantId: number, id: number], Operator>({
  name: 'get_operator',
  connection: 'read',
  sql: `select ${operatorColumns('o')} from operators o where o.tenant_id = $1 and o.id = $2`,
})

/** One operator. Throws `not_found`. */
export const getOperator = endpoint({
  name: 'operators.get',
  scope: 'admin',
  method: 'GET',
  path: '/operators/{id}',
  summary: 'Get an operator',
  description: 'Returns one operator. The badge is never returned.',
  isAddition: true,
  input: operatorId,
  output: operator,
  run: async ({ db, caller }, { id }) => {
    const row = await db.runOne(selectOperator, [caller.tenantId, id])
    if (row === undefined) throw operatorNotFound()
    return row
  },
})

export function operatorNotFound(): ServiceError {
  return new ServiceError('not_found', 'Operator not found')
}
