import { slice } from '../../procedures/slice.ts'
import { exportedProducts } from './export-products.ts'
import { bulkUpsertProducts } from './bulk-upsert-products.ts'
import { checkBulkProducts } from './check-bulk-products.ts'
import { createProduct } from './create-product.ts'
import { deleteProduct } from './delete-product.ts'
import { foldProducts } from './fold-products.ts'
import { getProductBySku } from './get-product-by-sku.ts'
import { getProduct } from './get-product.ts'
import { listProducts } from './list-products.ts'
import { updateProduct } from './update-product.ts'

import { productCreated, productUpdated, productDeleted } from './product-topics.ts'

/** The product catalog. */
export const products = slice({
  tags: [
    {
      name: 'products',
      description: 'The catalog. Products are matched by barcode and found by id or SKU. Deleting a product makes it inactive.',
    },
  ],
  endpoints: [
    createProduct,
    listProducts,
    getProduct,
    updateProduct,
    deleteProduct,
    getProductBySku,
    bulkUpsertProducts,
    checkBulkProducts,
  ],
  topics: [productCreated, productUpdated, productDeleted],
  rollups: [foldProducts],
  constraints: {
    products_barcode_key: { code: 'already_exists', message: 'A product with this barcode already exists' },
    products_external_id_key: { code: 'already_exists', message: 'A product with this sku already exists' },
  },
  exports: [exportedProducts],
})
