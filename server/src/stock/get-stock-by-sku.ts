import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { getBySkuInput, getBySkuOutput } from './schemas.ts'

type Stock = z.infer<typeof getBySkuOutput>

const selectStock = (levels: string): string => `
  select p.id as product_id, p.external_id as sku, p.name as product_name, l.total_quantity, l.locations
  from products p cross join lateral (
    select coalesce(sum(v.quantity), 0) as total_quantity,
      coalesce(json_agg(json_build_object('location_id', v.location_id, 'quantity', v.quantity::float8) order by v.location_id), '[]') as locations
    from ${levels} v
  ) l
  where p.tenant_id = $1 and p.external_id = $2 and p.is_active`

/** Products at more locations are read apart: on the connections that everybody shares they would hold up others. */
const FEW_LEVELS = 100

const levels = (limit: string): string =>
  `(select location_id, quantity from stock_levels where tenant_id = $1 and product_id = p.id order by location_id limit ${limit})`

type BySku = [tenantId: number, sku: string]
const stockBySku = statement<BySku, Stock>('stock_by_sku', selectStock(levels(`${FEW_LEVELS + 1}`)))
const stockAtManyLocations = statement<BySku, Stock>('stock_by_sku_at_many_locations', selectStock(levels('all')), {
  lane: 'slow',
})

const stockBySkuAsOf = statement<[tenantId: number, sku: string, before: Date], Stock>(
  'stock_by_sku_as_of',
  selectStock(`(
    select location_id, sum(new_quantity - previous_quantity) as quantity
    from stock_movements where tenant_id = $1 and product_id = p.id and created_at < $3 group by location_id)`),
)

/** The stock of an active product, in all and by location, now or as of a moment. Errors: `not_found`. */
export async function getStockBySku(context: RequestContext, input: z.infer<typeof getBySkuInput>): Promise<Stock> {
  const row = await (input.as_of === undefined ? stockNow(context, input.sku) : stockAsOf(context, input.sku, input.as_of))
  if (row === undefined) throw new ServiceError('not_found', 'Product not found')
  return row
}

async function stockNow({ db, caller }: RequestContext, sku: string): Promise<Stock | undefined> {
  const stock = await db.runOne(stockBySku, [caller.tenantId, sku])
  const isWhole = stock === undefined || stock.locations.length <= FEW_LEVELS
  return isWhole ? stock : db.runOne(stockAtManyLocations, [caller.tenantId, sku])
}

async function stockAsOf({ db, caller }: RequestContext, sku: string, before: Date): Promise<Stock | undefined> {
  // Many movements take long.
  return (await db.runApart(stockBySkuAsOf, [caller.tenantId, sku, before]))[0]
}
