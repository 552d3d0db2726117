import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { BARCODE_COLUMNS } from './barcode-columns.ts'
import { listBarcodesInput, listBarcodesOutput, type ProductBarcode } from './schemas.ts'

const selectBarcodes = statement<[tenantId: number, productId: number], ProductBarcode>({
  name: 'list_product_barcodes',
  connection: 'read',
  sql: `select barcode, quantity, name, is_primary, created_at from (
     select barcode, 1::numeric as quantity, null::text as name, true as is_primary, created_at, 0::bigint as position
     from products where tenant_id = $1 and id = $2
     union all
     select ${BARCODE_COLUMNS('b')}, b.id from product_barcodes b where b.tenant_id = $1 and b.product_id = $2
   ) b order by position`,
})

/** All barcodes of a product. Throws `not_found`. */
export const listBarcodes = endpoint({
  name: 'barcodes.list',
  scope: 'read:products',
  method: 'GET',
  path: '/products/{id}/barcodes',
  summary: 'List the barcodes of a product',
  description: 'The primary barcode first, then additional ones, oldest first.',
  isAddition: true,
  input: listBarcodesInput,
  output: listBarcodesOutput,
  run: async ({ db, caller }, { id }) => {
    const barcodes = await db.run(selectBarcodes, [caller.tenantId, id])
    if (barcodes.length === 0) throw new ServiceError('not_found', 'Product not found')
    return { barcodes }
  },
})
