import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import type { levelsInput, levelsOutput } from './schemas.ts'

type Levels = z.infer<typeof levelsOutput>

// The levels are limited before anything is joined to them, so that a page reads no more than itself whatever the planner makes of it.
const selectLevels = statement<
  [tenantId: number, afterProduct: number, afterLocation: string, limit: number],
  Levels['levels'][number]
>(
  'list_stock_levels',
  `select v.product_id, p.external_id as sku, p.barcode, p.name as product_name, p.is_active, v.location_id, l.code as location_code,
     v.warehouse_id, v.quantity
   from (
     select product_id, location_id, warehouse_id, quantity from stock_levels
     where tenant_id = $1 and (product_id, location_id) > ($2::bigint, $3::text) order by product_id, location_id limit $4::bigint
   ) v
   join products p on p.tenant_id = $1 and p.id = v.product_id
   join locations l on l.tenant_id = $1 and l.id = v.location_id
   order by v.product_id, v.location_id`,
)

/** A page of the tenant's stock levels, ordered by product and location. */
export async function listLevels({ db, caller }: RequestContext, query: z.infer<typeof levelsInput>): Promise<Levels> {
  const { productId, locationId } = query.after ?? { productId: 0, locationId: '' }
  const rows = await db.run(selectLevels, [caller.tenantId, productId, locationId, query.limit + 1])
  const levels = rows.slice(0, query.limit)
  const last = levels.at(-1)
  const hasMore = rows.length > query.limit && last !== undefined
  return { levels, next_cursor: hasMore ? `${last.product_id}/${last.location_id}` : null }
}
