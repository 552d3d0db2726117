import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { isoTimestamp } from '../events/index.ts'
import { listWarehousesInput, listWarehousesOutput } from './schemas.ts'

type Output = z.infer<typeof listWarehousesOutput>

const warehousesPage = statement<
  [tenantId: number, limit: number, offset: number],
  { total: number; warehouses: Output['warehouses'] }
>({
  name: 'list_warehouses',
  connection: 'slow',
  sql: `select (select count(*) from warehouses where tenant_id = $1) as total,
     (select coalesce(json_agg(w order by w.id), '[]') from (
        select id, name, is_default, ${isoTimestamp('created_at')} as created_at
        from warehouses where tenant_id = $1 order by id limit $2::bigint offset $3::bigint
      ) w) as warehouses`,
})

/** Lists the tenant's warehouses, ordered by id. */
export const listWarehouses = endpoint({
  name: 'warehouses.list',
  scope: 'read:stock',
  method: 'GET',
  path: '/warehouses',
  summary: 'List warehouses',
  description: 'Ordered by id.',
  isAddition: true,
  input: listWarehousesInput,
  output: listWarehousesOutput,
  run: async (context, query) => {
    const values: [number, number, number] = [context.caller.tenantId, query.limit, (query.page - 1) * query.limit]
    const row = await context.db.runOne(warehousesPage, values)
    return { warehouses: row?.warehouses ?? [], pagination: paginationOf(query, row?.total ?? 0) }
  },
})
