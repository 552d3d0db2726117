import type { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { id, text } from '../fields.ts'

/** The fields of an input by which it names a product. */
export const productName = {
  product_id: id.nullish().describe('Id of the product. Needed unless `sku` is given.'),
  sku: text(255, { minLength: 1 })
    .nullish()
    .describe('SKU (`external_id`) of an active product. When `product_id` is given too, both must name the same product.'),
}

type ProductName = z.infer<z.ZodObject<typeof productName>>

/** The check that an input has at least one of the fields. */
export const namesProduct = [
  (input: ProductName) => typeof input.product_id === 'number' || typeof input.sku === 'string',
  { path: ['product_id'], message: 'is required unless sku is given' },
] satisfies Parameters<z.ZodType<ProductName>['refine']>

export const OTHER_PRODUCT = 'sku: names another product than product_id'

/** The CTE `named_product` (id, is_same): the product that two parameters, each of which may be null, name. */
export function namedProduct(productId: string, sku: string): string {
  return `
named_product as materialized (
  select id, ${sku}::text is null or coalesce(external_id = ${sku}, false) as is_same from products where tenant_id = $1 and id = ${productId}::bigint
  union all
  select id, true from products where tenant_id = $1 and external_id = ${sku} and is_active and ${productId}::bigint is null
)`
}

/** Throws `not_found` unless there is a product, and `validation_error` when its SKU is not the given one. */
export function requireNamedProduct<Row extends { is_same: boolean }>(row: Row | undefined): Row {
  if (row === undefined) throw new ServiceError('not_found', 'Product not found')
  if (!row.is_same)
    throw new ServiceError('validation_error', OTHER_PRODUCT, {
      details: [{ path: 'sku', error: 'names another product than product_id' }],
    })
  return row
}
