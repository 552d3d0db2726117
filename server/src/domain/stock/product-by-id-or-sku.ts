import type { z } from 'zod'
import { ServiceError } from '../../errors/service-error.ts'
import { id, isGiven, text, CHECK_ALSO_WHEN_INVALID } from '../../procedures/fields/fields.ts'

/** The input fields that name a product. */
export const productByIdOrSku = {
  product_id: id.nullish().describe('Id of the product. Required unless `sku` is given.'),
  sku: text(255, { minLength: 1 })
    .nullish()
    .describe('SKU (`external_id`) of an active product. When `product_id` is given too, both must name the same product.'),
}

type ProductByIdOrSku = z.infer<z.ZodObject<typeof productByIdOrSku>>

/** The check that an input has at least one of these fields. */
export const namesProduct = [
  (input: ProductByIdOrSku) => isGiven(input.product_id) || isGiven(input.sku),
  { ...CHECK_ALSO_WHEN_INVALID, path: ['product_id'], message: 'is required unless sku is given' },
] satisfies Parameters<z.ZodType<ProductByIdOrSku>['refine']>

export const OTHER_PRODUCT = 'sku: names a different product than product_id'

/** What a row found by these fields. */
interface FoundProductRow {
  /** Whether a product has that id or SKU. */
  exists: boolean
  /** Null when id and SKU do not name the same product. */
  product_id: number | null
}

/**
 * SQL for the columns `exists` and `product_id` of the product that a row `i` names, and the joins that they need. The limits make each join
 * a lookup, even in a plan made on an empty table, where joining all rows costs the same.
 */
export const NAMED_PRODUCTS = {
  columns: `p.id is not null or s.id is not null as exists,
       case when i.product_id is null then s.id when i.sku is null or p.external_id = i.sku then p.id end as product_id`,
  joins: `left join lateral (select id, external_id from products where tenant_id = $1 and id = i.product_id limit 1) p on true
     left join lateral (select id from products where tenant_id = $1 and external_id = i.sku and is_active and p.id is null limit 1) s on true`,
}

/** Throws `not_found` when no product matches, and `validation_error` when id and SKU name different products. */
export function requireNamedProduct<Row extends FoundProductRow>(row: Row | undefined): Row & { product_id: number } {
  if (row?.exists !== true) throw new ServiceError('not_found', 'Product not found')
  const { product_id } = row
  if (product_id === null)
    throw new ServiceError('validation_error', OTHER_PRODUCT, {
      details: [{ path: 'sku', error: 'names a different product than product_id' }],
    })
  return { ...row, product_id }
}
