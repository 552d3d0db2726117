import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import type { createWarehouseInput, createWarehouseOutput } from './schemas.ts'

type Output = z.infer<typeof createWarehouseOutput>

const insertWarehouse = statement<[tenantId: number, name: string], Output>(
  'insert_warehouse',
  'insert into warehouses (tenant_id, name) values ($1, $2) returning id, name, created_at',
)

/** Creates a warehouse, which is not the default one. */
export async function createWarehouse(context: RequestContext, input: z.infer<typeof createWarehouseInput>): Promise<Output> {
  return (await context.db.runOne(insertWarehouse, [context.caller.tenantId, input.name])) as Output
}
