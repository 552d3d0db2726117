import type { z } from 'zod'
import { CHECK_ALSO_WHEN_INVALID, id, isGiven, text, trimmedText } from '../../procedures/fields/fields.ts'

/** The input fields that name a product: exactly one is given. */
export const namedProduct = {
  product_id: id.nullish().describe('Id of the product.'),
  sku: text(255, { minLength: 1 })
    .nullish()
    .describe('SKU (`external_id`) of an active product.')
    .meta({ examples: ['TEA-G-100'] }),
  barcode: trimmedText(255)
    .nullish()
    .describe('Barcode of the product or of a pack of it, or a scanned code that contains one: see `GET /scan`.'),
}

/** A product as a call names it. */
export type NamedProduct = z.infer<z.ZodObject<typeof namedProduct>>

/** The check that an input has exactly one of these fields. */
export const namesOneProduct = [
  ({ product_id: product, sku, barcode }: NamedProduct) => [product, sku, barcode].filter(isGiven).length === 1,
  { ...CHECK_ALSO_WHEN_INVALID, path: ['product_id'], message: 'exactly one of product_id, sku and barcode is required' },
] satisfies Parameters<z.ZodType<NamedProduct>['refine']>

/** The field that names the product. */
export function nameOf({ product_id: product, sku }: NamedProduct): 'product_id' | 'sku' | 'barcode' {
  if (isGiven(product)) return 'product_id'
  return isGiven(sku) ? 'sku' : 'barcode'
}

/** The check that a quantity is given, or a barcode, which may carry one. */
export const hasQuantity = [
  ({ barcode, quantity }: { barcode?: unknown; quantity?: unknown }) => isGiven(quantity) || isGiven(barcode),
  { ...CHECK_ALSO_WHEN_INVALID, path: ['quantity'], message: 'is required' },
] satisfies Parameters<z.ZodType<object>['refine']>

/** Describes when a call may leave its `quantity` out. */
export const MAY_BE_CARRIED = 'Required unless the `barcode` carries a quantity: a pack, a weight or a count.'

const LEFT_OUT = 'quantity of '

/**
 * What was sent, as text: equal for equal names, also when the product has got another SKU since, or the barcode was removed. It tells whether
 * the quantity was left out.
 */
export function sentName(named: NamedProduct & { quantity?: number | null | undefined }): string {
  const name = `${nameOf(named)} ${named[nameOf(named)]}`
  return isGiven(named.quantity) ? name : LEFT_OUT + name
}

/** SQL for whether the rows have the same `sent_name`, and the quantity of the first is that of the second, or was left out in both calls. */
export const isSentAgain = (quantity: string, earlier: string, row: string): string =>
  `${earlier}.sent_name = ${row}.sent_name and (${quantity} = ${row}.quantity or starts_with(${row}.sent_name, '${LEFT_OUT}'))`

/**
 * SQL for the ids, with commas, that the product of a row can have by its columns `named_id`, `sku` and `barcode`: null where it is not named
 * so. Whether a product has the `named_id` is not looked up. The limits make each a lookup, even in a plan made on an empty table.
 */
export const productNamedBy = (row: string): string => `${row}.named_id,
       (select id from products where tenant_id = $1 and external_id = ${row}.sku and is_active limit 1),
       (select id from products where tenant_id = $1 and barcode = ${row}.barcode limit 1)`
