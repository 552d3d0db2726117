import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { productBySku, productWithStock } from './schemas.ts'

type ProductWithStock = z.infer<typeof productWithStock>
type ProductBySku = z.infer<typeof productBySku>

const findProduct = statement<[tenantId: number, id: number], ProductWithStock>(
  'find_product',
  `select p.id, p.barcode, p.external_id, p.name, p.description, p.category, p.price, p.weight, p.width, p.height, p.depth, p.sales_unit,
     p.weighable, p.photo_url, p.is_active, p.created_at, p.updated_at, p.cost, p.minimum_threshold, p.reorder_quantity,
     coalesce((
       select json_agg(json_build_object('location_id', s.location_id, 'location_code', l.code, 'quantity', s.quantity::float8) order by s.location_id)
       from stock_levels s join locations l on l.tenant_id = s.tenant_id and l.id = s.location_id
       where s.tenant_id = $1 and s.product_id = p.id
     ), '[]') as stock
   from products p where p.tenant_id = $1 and p.id = $2`,
)

const findProductBySku = statement<[tenantId: number, sku: string], ProductBySku>(
  'find_product_by_sku',
  `select p.id, p.barcode, p.external_id, p.name, p.category, p.price,
     coalesce((
       select json_agg(json_build_object('location_id', s.location_id, 'quantity', s.quantity::float8) order by s.location_id)
       from stock_levels s where s.tenant_id = $1 and s.product_id = p.id
     ), '[]') as stock
   from products p where p.tenant_id = $1 and p.external_id = $2 and p.is_active`,
)

/** A product, deleted or not, and its stock by location. Throws `not_found`. */
export async function getProduct({ db, caller }: RequestContext, { id }: { id: number }): Promise<ProductWithStock> {
  const product = await db.runOne(findProduct, [caller.tenantId, id])
  if (product === undefined) throw new ServiceError('not_found', 'Product not found')
  return product
}

/** The active product with this SKU and its stock by location. Throws `not_found`. */
export async function getProductBySku({ db, caller }: RequestContext, { sku }: { sku: string }): Promise<ProductBySku> {
  const product = await db.runOne(findProductBySku, [caller.tenantId, sku])
  if (product === undefined) throw new ServiceError('not_found', 'No active product has this SKU')
  return product
}
