import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { paginationOf } from '../fields.ts'
import type { listLocationsInput, listLocationsOutput } from './schemas.ts'

type Output = z.infer<typeof listLocationsOutput>

const locationsPage = statement<
  [tenantId: number, limit: number, offset: number],
  { total: number; locations: Output['locations'] }
>(
  'list_locations',
  `select (select count(*) from locations where tenant_id = $1) as total,
     (select coalesce(json_agg(l order by l.id), '[]') from (
        select id, code, name, warehouse_id from locations where tenant_id = $1 order by id limit $2::bigint offset $3::bigint
      ) l) as locations`,
  // Tenants have any number of them, and all are counted.
  { lane: 'slow' },
)

/** Lists the tenant's locations, ordered by id. */
export async function listLocations(context: RequestContext, query: z.infer<typeof listLocationsInput>): Promise<Output> {
  const values: [number, number, number] = [context.caller.tenantId, query.limit, (query.page - 1) * query.limit]
  const row = await context.db.runOne(locationsPage, values)
  return { locations: row?.locations ?? [], pagination: paginationOf(query, row?.total ?? 0) }
}
