import { type FoundProduct, nameOf, problemOf, quantitiesOf, requireNone } from '../records/index.ts'
import type { HoldLineInput } from './schemas.ts'

/** A line of a hold with its product. */
export interface HeldProduct {
  productId: number
  quantity: number
}

/**
 * The products of lines, as `findProducts` found them. Throws `validation_error` for every line whose product is unknown or deleted, or whose
 * quantity is missing, or a fraction although the product is not weighable.
 */
export function requireHeld(lines: readonly HoldLineInput[], found: readonly FoundProduct[]): HeldProduct[] {
  requireNone(
    lines.flatMap((line, index) => {
      const product = found[index] as FoundProduct
      const problems = problemOf(line, { ...product, is_active: true }, `lines[${index}]`)
      if (problems.length > 0 || product.is_active === true) return problems
      return [{ path: `lines[${index}].${nameOf(line)}`, error: 'names a deleted product' }]
    }),
  )
  const quantities = quantitiesOf(lines, found)
  return found.map(({ id }, index) => ({ productId: id as number, quantity: quantities[index] as number }))
}
