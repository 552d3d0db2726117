import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { createWarehouseInput, createWarehouseOutput } from './schemas.ts'

type Output = z.infer<typeof createWarehouseOutput>

/** Warehouses per tenant: some reads have a row for each of them. Parallel calls can exceed it by a few. */
const MAX_WAREHOUSES = 1_000

const insertWarehouse = statement<[tenantId: number, name: string], Output>({
  name: 'insert_warehouse',
  connection: 'write',
  sql: `insert into warehouses (tenant_id, name) select $1, $2
   where (select count(*) from (select from warehouses where tenant_id = $1 limit ${MAX_WAREHOUSES}) w) < ${MAX_WAREHOUSES}
   returning id, name, created_at`,
})

/** Creates a warehouse that is not the default warehouse. Throws `validation_error` when the tenant has reached its limit of warehouses. */
export const createWarehouse = endpoint({
  name: 'warehouses.create',
  scope: 'write:stock',
  method: 'POST',
  path: '/warehouses',
  summary: 'Create a warehouse',
  description: 'Use `PUT /locations/{id}` to move locations into it. A tenant has at most 1,000 warehouses.',
  isAddition: true,
  input: createWarehouseInput,
  output: createWarehouseOutput,
  run: async (context, input) => {
    const created = await context.db.runOne(insertWarehouse, [context.caller.tenantId, input.name])
    if (created === undefined)
      throw new ServiceError('validation_error', `warehouses: a tenant has at most ${MAX_WAREHOUSES} warehouses`)
    return created
  },
})
