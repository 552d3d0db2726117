import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { applyBulkItems, type StoredProduct } from './apply-bulk-items.ts'
import { bulkItemsOf, bulkResponse, namesIn, PRODUCTS_AND_SKU_OWNERS } from './bulk-items.ts'
import { bulkUpsertProductsInput, bulkUpsertProductsOutput } from './schemas.ts'

/** What a bulk call reads and locks, without the locks. */
const findProductsAndSkuOwners = statement<[tenantId: number, barcodes: string[], skus: string[]], StoredProduct>({
  name: 'find_products_and_sku_owners',
  lane: 'slow',
  sql: PRODUCTS_AND_SKU_OWNERS,
})

/** What a bulk call would respond with now. Its items are applied by the same function, to the products as they are. */
export const checkBulkProducts = endpoint({
  name: 'products.checkBulk',
  scope: 'write:products',
  method: 'POST',
  path: '/products/bulk/check',
  summary: 'Check a bulk change of products',
  description:
    'Takes what `POST /products/bulk` takes, and responds as that call would respond now. Nothing is stored: no product changes, no event is sent, and the audit log has no entry.',
  isAddition: true,
  keepsNothing: true,
  input: bulkUpsertProductsInput,
  output: bulkUpsertProductsOutput,
  run: async ({ db, caller }, input) => {
    const items = await bulkItemsOf(input.products)
    const stored = await db.run(findProductsAndSkuOwners, [caller.tenantId, ...namesIn(items)])
    return bulkResponse(applyBulkItems(stored, items))
  },
})
