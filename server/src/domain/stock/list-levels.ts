import type { z } from 'zod'
import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { listLevelsInput, listLevelsOutput } from './schemas.ts'

type Levels = z.infer<typeof listLevelsOutput>

// The levels are limited before anything is looked up for them, each by its key, so that any plan reads no more than the page: a merge join
// reads all products before the first one of the page.
const selectLevels = statement<
  [tenantId: number, afterProduct: number, afterLocation: string, limit: number],
  Levels['levels'][number]
>({
  name: 'list_stock_levels',
  connection: 'read',
  sql: `select v.product_id, p.external_id as sku, p.barcode, p.name as product_name, p.is_active, v.location_id, l.code as location_code,
     v.warehouse_id, v.quantity
   from (
     select product_id, location_id, warehouse_id, quantity from stock_levels
     where tenant_id = $1 and (product_id, location_id) > ($2::bigint, $3::text) order by product_id, location_id limit $4::bigint
   ) v
   cross join lateral (select external_id, barcode, name, is_active from products where tenant_id = $1 and id = v.product_id limit 1) p
   cross join lateral (select code from locations where tenant_id = $1 and id = v.location_id limit 1) l
   order by v.product_id, v.location_id`,
})

/** A page of the tenant's stock levels, ordered by product and location. */
export const listLevels = endpoint({
  name: 'stock.levels',
  scope: 'read:stock',
  method: 'GET',
  path: '/stock/levels',
  summary: 'List stock levels',
  description:
    'Quantity of every product at every location, including deleted products. Levels are never removed, so reading all pages returns every level.',
  isAddition: true,
  readsReplica: true,
  input: listLevelsInput,
  output: listLevelsOutput,
  run: async ({ db, caller }, query) => {
    const { productId, locationId } = query.after ?? { productId: 0, locationId: '' }
    const rows = await db.run(selectLevels, [caller.tenantId, productId, locationId, query.limit + 1])
    const levels = rows.slice(0, query.limit)
    const last = levels.at(-1)
    const hasMore = rows.length > query.limit && last !== undefined
    return { levels, next_cursor: hasMore ? `${last.product_id}/${last.location_id}` : null }
  },
})
