import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { operatorColumns } from './operator-columns.ts'
import { createOperatorInput, operator, type Operator } from './schemas.ts'

const insertOperator = statement<
  [tenantId: number, name: string, email: string, mayChangeStock: boolean, isActive: boolean],
  Operator
>({
  name: 'insert_operator',
  connection: 'write',
  sql: `insert into operators as o (tenant_id, name, email, may_change_stock, is_active) values ($1, $2, $3, $4, $5)
   returning ${operatorColumns('o')}`,
})

/** Adds an operator, without a badge. Throws `already_exists`. */
export const createOperator = endpoint({
  name: 'operators.create',
  scope: 'admin',
  method: 'POST',
  path: '/operators',
  summary: 'Add an operator',
  description: 'The operator signs in on devices with a badge, which `POST /operators/{id}/badge` issues.',
  errors: ['already_exists'],
  isAddition: true,
  input: createOperatorInput,
  output: operator,
  run: async ({ db, caller }, { name, email, may_change_stock, is_active }) => {
    const row = await db.runOne(insertOperator, [caller.tenantId, name, email, may_change_stock ?? false, is_active ?? true])
    return row as Operator
  },
})
