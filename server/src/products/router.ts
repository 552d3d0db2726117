import { endpoint, router } from '../trpc.ts'
import { bulkUpsertProducts } from './bulk-upsert-products.ts'
import { createProduct } from './create-product.ts'
import { deleteProduct } from './delete-product.ts'
import { getProduct, getProductBySku } from './get-product.ts'
import { listProducts } from './list-products.ts'
import {
  bulkInput,
  bulkOutput,
  createdProduct,
  deletedProduct,
  newProduct,
  productBySku,
  productChanges,
  productId,
  productList,
  productQuery,
  productSku,
  productWithStock,
  updatedProduct,
} from './schemas.ts'
import { updateProduct } from './update-product.ts'

export const productsRouter = router({
  create: endpoint(
    'write:products',
    {
      method: 'POST',
      path: '/products',
      summary: 'Create a product',
      description:
        'The barcode, and the SKU when given, must be new in the tenant, deleted products included. A null means the same as a missing field. Sends `product/created`.',
    },
    { errors: ['already_exists'] },
  )
    .input(newProduct)
    .output(createdProduct)
    .mutation(({ ctx, input }) => createProduct(ctx, input)),

  list: endpoint(
    'read:products',
    {
      method: 'GET',
      path: '/products',
      summary: 'List products',
      description: 'Newest first. Deleted products are left out; `is_active=false` lists them instead.',
    },
    { extension: true, readsReplica: true },
  )
    .input(productQuery)
    .output(productList)
    .query(({ ctx, input }) => listProducts(ctx, input)),

  get: endpoint('read:products', {
    method: 'GET',
    path: '/products/{id}',
    summary: 'Get a product',
    description: 'The product with its stock by location. A deleted product is returned with `is_active` false.',
  })
    .input(productId)
    .output(productWithStock)
    .query(({ ctx, input }) => getProduct(ctx, input)),

  update: endpoint(
    'write:products',
    {
      method: 'PUT',
      path: '/products/{id}',
      summary: 'Update a product',
      description: 'Only the given fields change; null clears an optional field. Sends `product/updated` when a field changed.',
    },
    { errors: ['already_exists'] },
  )
    .input(productChanges)
    .output(updatedProduct)
    .mutation(({ ctx, input }) => updateProduct(ctx, input)),

  delete: endpoint('write:products', {
    method: 'DELETE',
    path: '/products/{id}',
    summary: 'Delete a product',
    description:
      'Makes the product inactive and keeps its record, so that order history stays valid. Sends `product/deleted`. Deleting it again succeeds and changes nothing.',
  })
    .input(productId)
    .output(deletedProduct)
    .mutation(({ ctx, input }) => deleteProduct(ctx, input)),

  getBySku: endpoint('read:products', {
    method: 'GET',
    path: '/products/sku/{sku}',
    summary: 'Get a product by SKU',
    description: 'An active product with its stock by location.',
  })
    .input(productSku)
    .output(productBySku)
    .query(({ ctx, input }) => getProductBySku(ctx, input)),

  bulk: endpoint('write:products', {
    method: 'POST',
    path: '/products/bulk',
    summary: 'Create or update many products',
    description:
      'Matches products by barcode: existing ones are updated, others are created and need a name. Only the given fields change; null clears an optional field. ' +
      'An item that fails is reported in `errors` and does not stop the others. Safe to retry.',
  })
    .input(bulkInput)
    .output(bulkOutput)
    .mutation(({ ctx, input }) => bulkUpsertProducts(ctx, input)),
})
