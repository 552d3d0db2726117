import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { isoTimestamp } from '../events/index.ts'
import { paginationOf } from '../fields.ts'
import type { listWarehousesInput, listWarehousesOutput } from './schemas.ts'

type Output = z.infer<typeof listWarehousesOutput>

const warehousesPage = statement<
  [tenantId: number, limit: number, offset: number],
  { total: number; warehouses: Output['warehouses'] }
>(
  'list_warehouses',
  `select (select count(*) from warehouses where tenant_id = $1) as total,
     (select coalesce(json_agg(w order by w.id), '[]') from (
        select id, name, is_default, ${isoTimestamp('created_at')} as created_at
        from warehouses where tenant_id = $1 order by id limit $2::bigint offset $3::bigint
      ) w) as warehouses`,
  // Tenants have any number of them, and all are counted.
  { lane: 'slow' },
)

/** Lists the tenant's warehouses, ordered by id. */
export async function listWarehouses(context: RequestContext, query: z.infer<typeof listWarehousesInput>): Promise<Output> {
  const values: [number, number, number] = [context.caller.tenantId, query.limit, (query.page - 1) * query.limit]
  const row = await context.db.runOne(warehousesPage, values)
  return { warehouses: row?.warehouses ?? [], pagination: paginationOf(query, row?.total ?? 0) }
}
