import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement, type Statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import type { productBySku, productWithStock } from './schemas.ts'

type ProductWithStock = z.infer<typeof productWithStock>
type ProductBySku = z.infer<typeof productBySku>

/** Products at more locations are read apart: on the connections that everybody shares they would hold up others. */
const FEW_LEVELS = 100

/** SQL for at most so many levels of the product `p`, in the order of locations. */
const levels = (limit: string): string =>
  `(select location_id, quantity from stock_levels where tenant_id = $1 and product_id = p.id order by location_id limit ${limit})`

const selectProduct = (limit: string): string => `
  select p.id, p.barcode, p.external_id, p.name, p.description, p.category, p.price, p.weight, p.width, p.height, p.depth, p.sales_unit,
    p.weighable, p.photo_url, p.is_active, p.created_at, p.updated_at, p.cost, p.minimum_threshold, p.reorder_quantity,
    coalesce((
      select json_agg(json_build_object('location_id', s.location_id, 'location_code', l.code, 'quantity', s.quantity::float8) order by s.location_id)
      from ${levels(limit)} s join locations l on l.tenant_id = $1 and l.id = s.location_id
    ), '[]') as stock
  from products p where p.tenant_id = $1 and p.id = $2`

const selectBySku = (limit: string): string => `
  select p.id, p.barcode, p.external_id, p.name, p.category, p.price,
    coalesce((
      select json_agg(json_build_object('location_id', s.location_id, 'quantity', s.quantity::float8) order by s.location_id)
      from ${levels(limit)} s
    ), '[]') as stock
  from products p where p.tenant_id = $1 and p.external_id = $2 and p.is_active`

type ById = [tenantId: number, id: number]
type BySku = [tenantId: number, sku: string]

const BY_ID = {
  few: statement<ById, ProductWithStock>('find_product', selectProduct(`${FEW_LEVELS + 1}`)),
  all: statement<ById, ProductWithStock>('find_product_at_many_locations', selectProduct('all'), { lane: 'slow' }),
}
const BY_SKU = {
  few: statement<BySku, ProductBySku>('find_product_by_sku', selectBySku(`${FEW_LEVELS + 1}`)),
  all: statement<BySku, ProductBySku>('find_product_by_sku_at_many_locations', selectBySku('all'), { lane: 'slow' }),
}

async function find<Values extends readonly unknown[], Row extends { stock: readonly unknown[] }>(
  { db }: RequestContext,
  { few, all }: { few: Statement<Values, Row>; all: Statement<Values, Row> },
  values: Values,
): Promise<Row | undefined> {
  const product = await db.runOne(few, values)
  return product === undefined || product.stock.length <= FEW_LEVELS ? product : db.runOne(all, values)
}

/** A product, deleted or not, and its stock by location. Throws `not_found`. */
export async function getProduct(context: RequestContext, { id }: { id: number }): Promise<ProductWithStock> {
  const product = await find(context, BY_ID, [context.caller.tenantId, id])
  if (product === undefined) throw new ServiceError('not_found', 'Product not found')
  return product
}

/** The active product with this SKU and its stock by location. Throws `not_found`. */
export async function getProductBySku(context: RequestContext, { sku }: { sku: string }): Promise<ProductBySku> {
  const product = await find(context, BY_SKU, [context.caller.tenantId, sku])
  if (product === undefined) throw new ServiceError('not_found', 'No active product has this SKU')
  return product
}
