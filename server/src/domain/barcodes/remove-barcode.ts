import { statement } from '../../database/statements/statement.ts'
import { invalidField } from '../../errors/invalid-field.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { removeBarcodeInput, removeBarcodeOutput } from './schemas.ts'

const deleteBarcode = statement<
  [tenantId: number, productId: number, barcode: string],
  { is_primary: boolean; removed: string | null }
>({
  name: 'delete_product_barcode',
  connection: 'write',
  sql: `with removed as (
     delete from product_barcodes where tenant_id = $1 and barcode = $3 and product_id = $2 returning barcode
   )
   select p.barcode = $3 as is_primary, (select barcode from removed) as removed from products p where p.tenant_id = $1 and p.id = $2`,
})

/** Removes an additional barcode of a product. Throws `not_found`, and `validation_error` for the primary one. */
export const removeBarcode = endpoint({
  name: 'barcodes.remove',
  scope: 'write:products',
  method: 'DELETE',
  path: '/products/{id}/barcodes/{barcode}',
  summary: 'Remove a barcode',
  description:
    'Removes an additional barcode. Orders keep it as it was sent. The primary barcode of a product cannot be removed.',
  isAddition: true,
  input: removeBarcodeInput,
  output: removeBarcodeOutput,
  run: async ({ db, caller }, { id, barcode }) => {
    const row = await db.runOne(deleteBarcode, [caller.tenantId, id, barcode.trim()])
    if (row === undefined) throw new ServiceError('not_found', 'Product not found')
    if (row.is_primary) throw invalidField('barcode', "is the product's primary barcode, which cannot be removed")
    if (row.removed === null) throw new ServiceError('not_found', 'The product has no such barcode')
    return { message: 'Barcode removed', product_id: id, barcode: row.removed }
  },
})
