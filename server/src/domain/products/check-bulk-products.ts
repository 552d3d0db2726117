import { statement } from '../../database/statements/statement.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { applyBulkItems, type StoredProduct } from './apply-bulk-items.ts'
import { ADDITIONAL_BARCODES, bulkItemsOf, bulkResponse, namesIn, PRODUCTS_AND_SKU_OWNERS } from './bulk-items.ts'
import { bulkUpsertProductsInput, bulkUpsertProductsOutput } from './schemas.ts'

/** What a bulk call reads and locks, without the locks. */
const findProductsAndSkuOwners = statement<[tenantId: number, barcodes: string[], skus: string[]], StoredProduct>({
  name: 'find_products_and_sku_owners',
  connection: 'slow',
  sql: PRODUCTS_AND_SKU_OWNERS,
})

const findAdditional = statement<[tenantId: number, barcodes: string[]], { barcode: string }>({
  name: 'find_additional_barcodes',
  connection: 'slow',
  sql: ADDITIONAL_BARCODES,
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
  changesNothing: true,
  input: bulkUpsertProductsInput,
  output: bulkUpsertProductsOutput,
  run: async ({ db, caller }, input) => {
    const items = await bulkItemsOf(input.products)
    const [barcodes, skus] = namesIn(items)
    const stored = await db.run(findProductsAndSkuOwners, [caller.tenantId, barcodes, skus])
    const additional = await db.run(findAdditional, [caller.tenantId, barcodes])
    return bulkResponse(applyBulkItems(stored, items, new Set(additional.map(({ barcode }) => barcode))))
  },
})
