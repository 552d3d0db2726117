import type { Queryable } from '../../database/database.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { findProducts, type FoundProduct, nameOf, problemOf, quantitiesOf } from '../records/index.ts'
import type { HoldLineInput } from './schemas.ts'

/** A line of a hold with its product. */
export interface HeldProduct {
  productId: number
  quantity: number
  isActive: boolean
}

/**
 * The products that the lines name, deleted ones too. Throws `validation_error` for every line whose product is unknown, or whose quantity is
 * missing, or a fraction although the product is not weighable.
 */
export async function productsOf(db: Queryable, tenantId: number, lines: readonly HoldLineInput[]): Promise<HeldProduct[]> {
  const found = await findProducts(db, tenantId, lines)
  // Deleted ones are refused later: a hold that is repeated may have them.
  refuse(
    lines.flatMap((line, index) => problemOf(line, { ...(found[index] as FoundProduct), is_active: true }, `lines[${index}]`)),
  )
  const quantities = quantitiesOf(lines, found)
  return found.map(({ id, is_active: isActive }, index) => ({
    productId: id as number,
    quantity: quantities[index] as number,
    isActive: isActive === true,
  }))
}

/** Throws `validation_error` for every line with a deleted product. */
export function requireActive(lines: readonly HoldLineInput[], products: readonly HeldProduct[]): void {
  refuse(
    products.flatMap(({ isActive }, index) =>
      isActive ? [] : [{ path: `lines[${index}].${nameOf(lines[index] as HoldLineInput)}`, error: 'names a deleted product' }],
    ),
  )
}

function refuse(details: { path: string; error: string }[]): void {
  const [first] = details
  if (first !== undefined) throw new ServiceError('validation_error', `${first.path}: ${first.error}`, { details })
}
