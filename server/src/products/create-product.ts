import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { recordEvents } from '../events/index.ts'
import { KEEPS_BULK_CALLS_OUT } from './catalog-lock.ts'
import { columnsOf, OPTIONAL_COLUMNS } from './columns.ts'
import { productCreated } from './product-events.ts'
import type { createdProduct, newProduct } from './schemas.ts'

type CreatedProduct = z.infer<typeof createdProduct>

const insertProduct = statement<[tenantId: number, columns: string], CreatedProduct>(
  'insert_product',
  `with created as (
     insert into products (tenant_id, barcode, name, weighable, sales_unit, ${OPTIONAL_COLUMNS.join(', ')})
     select $1, barcode, name, coalesce(weighable, false), coalesce(sales_unit, 1), ${OPTIONAL_COLUMNS.join(', ')}
     from json_populate_record(null::products, $2::json)
     where ${KEEPS_BULK_CALLS_OUT}
     returning *
   ), event as (
     select 1 as position, 'product/created' as topic, ${productCreated('p')} as data from created p
   ), ${recordEvents('event')}
   select id, barcode, external_id, name, category, price, weight, is_active, created_at from created`,
)

/** Creates an active product. Throws `already_exists` when the tenant has a product with its barcode or SKU, even a deleted one. */
export async function createProduct({ db, caller }: RequestContext, input: z.infer<typeof newProduct>): Promise<CreatedProduct> {
  return (await db.runOne(insertProduct, [caller.tenantId, JSON.stringify(columnsOf(input))])) as CreatedProduct
}
