import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { recordEvents } from '../events/index.ts'
import { productDeletedData } from './product-events.ts'
import { deleteProductOutput, productId } from './schemas.ts'

const deactivateProduct = statement<[tenantId: number, id: number], { id: number }>({
  name: 'deactivate_product',
  connection: 'write',
  sql: `with deleted as (
     update products set is_active = false, updated_at = clock_timestamp() where tenant_id = $1 and id = $2 and is_active returning *
   ), event as (
     select 1 as position, 'product/deleted' as topic, ${productDeletedData('p')} as data from deleted p
   ), ${recordEvents('event', { areWithoutOrders: true })}
   select id from products where tenant_id = $1 and id = $2`,
})

/** Makes a product inactive; deleting it again changes nothing. Throws `not_found`. */
export const deleteProduct = endpoint({
  name: 'products.delete',
  scope: 'write:products',
  method: 'DELETE',
  path: '/products/{id}',
  summary: 'Delete a product',
  description:
    'Makes the product inactive and keeps its record, so that order history stays valid. Sends `product/deleted`. Deleting it again succeeds and changes nothing.',
  input: productId,
  output: deleteProductOutput,
  run: async ({ db, caller }, { id }) => {
    const product = await db.runOne(deactivateProduct, [caller.tenantId, id])
    if (product === undefined) throw new ServiceError('not_found', 'Product not found')
    return { message: 'Product deleted', product_id: product.id }
  },
})
