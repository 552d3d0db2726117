import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { paginationOf } from '../../procedures/fields/fields.ts'
import { LOCATION_COLUMNS } from './location-columns.ts'
import { listLocationsInput, listLocationsOutput } from './schemas.ts'

type Output = z.infer<typeof listLocationsOutput>

const locationsPage = statement<
  [tenantId: number, limit: number, offset: number],
  { total: number; locations: Output['locations'] }
>({
  name: 'list_locations',
  connection: 'slow',
  sql: `select (select count(*) from locations where tenant_id = $1) as total,
     (select coalesce(json_agg(l order by l.id), '[]') from (
        select ${LOCATION_COLUMNS} from locations where tenant_id = $1 order by id limit $2::bigint offset $3::bigint
      ) l) as locations`,
})

/** Lists the tenant's locations, ordered by id. */
export const listLocations = endpoint({
  name: 'locations.list',
  scope: 'read:stock',
  method: 'GET',
  path: '/locations',
  summary: 'List locations',
  description: 'Ordered by id.',
  isAddition: true,
  readsReplica: true,
  input: listLocationsInput,
  output: listLocationsOutput,
  run: async (context, query) => {
    const values: [number, number, number] = [context.caller.tenantId, query.limit, (query.page - 1) * query.limit]
    const row = await context.db.runOne(locationsPage, values)
    return { locations: row?.locations ?? [], pagination: paginationOf(query, row?.total ?? 0) }
  },
})
