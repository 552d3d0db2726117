import type { z } from 'zod'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { ServiceError } from '../errors.ts'
import { recordEvents } from '../events/index.ts'
import { productDeleted } from './product-events.ts'
import type { deletedProduct } from './schemas.ts'

const deactivateProduct = statement<[tenantId: number, id: number], { id: number }>(
  'deactivate_product',
  `with deleted as (
     update products set is_active = false, updated_at = clock_timestamp() where tenant_id = $1 and id = $2 and is_active returning *
   ), event as (
     select 1 as position, 'product/deleted' as topic, ${productDeleted('p')} as data from deleted p
   ), ${recordEvents('event')}
   select id from products where tenant_id = $1 and id = $2`,
)

/** Makes a product inactive; deleting it again changes nothing. Throws `not_found`. */
export async function deleteProduct(
  { db, caller }: RequestContext,
  { id }: { id: number },
): Promise<z.infer<typeof deletedProduct>> {
  const product = await db.runOne(deactivateProduct, [caller.tenantId, id])
  if (product === undefined) throw new ServiceError('not_found', 'Product not found')
  return { message: 'Product deleted', product_id: product.id }
}
