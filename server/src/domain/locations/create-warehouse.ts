import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { createWarehouseInput, createWarehouseOutput } from './schemas.ts'

type Output = z.infer<typeof createWarehouseOutput>

const insertWarehouse = statement<[tenantId: number, name: string], Output>({
  name: 'insert_warehouse',
  connection: 'write',
  sql: 'insert into warehouses (tenant_id, name) values ($1, $2) returning id, name, created_at',
})

/** Creates a warehouse that is not the default warehouse. */
export const createWarehouse = endpoint({
  name: 'warehouses.create',
  scope: 'write:stock',
  method: 'POST',
  path: '/warehouses',
  summary: 'Create a warehouse',
  description: 'Use `PUT /locations/{id}` to move locations into it.',
  isAddition: true,
  input: createWarehouseInput,
  output: createWarehouseOutput,
  run: async (context, input) => {
    return (await context.db.runOne(insertWarehouse, [context.caller.tenantId, input.name])) as Output
  },
})
