import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { getBySkuInput, getBySkuOutput } from './schemas.ts'

const stockBySku = statement<[tenantId: number, sku: string], z.infer<typeof getBySkuOutput>>(
  'stock_by_sku',
  `select p.id as product_id, p.external_id as sku, p.name as product_name, l.total_quantity, l.locations
   from products p cross join lateral (
     select coalesce(sum(v.quantity), 0) as total_quantity,
       coalesce(json_agg(json_build_object('location_id', v.location_id, 'quantity', v.quantity::float8) order by v.location_id), '[]') as locations
     from stock_levels v where v.tenant_id = $1 and v.product_id = p.id
   ) l
   where p.tenant_id = $1 and p.external_id = $2 and p.is_active`,
)

/** The stock of an active product, in all and by location. Errors: `not_found`. */
export async function getStockBySku(
  context: RequestContext,
  input: z.infer<typeof getBySkuInput>,
): Promise<z.infer<typeof getBySkuOutput>> {
  const row = await context.db.runOne(stockBySku, [context.caller.tenantId, input.sku])
  if (row === undefined) throw new ServiceError('not_found', 'Product not found')
  return row
}
