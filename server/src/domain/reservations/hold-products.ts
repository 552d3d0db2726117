import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../procedures/errors.ts'
import type { HoldLineInput } from './schemas.ts'

/** A line of a hold with its product. */
export interface HeldProduct {
  productId: number
  quantity: number
  isActive: boolean
}

const findProducts = statement<
  [tenantId: number, ids: (number | null)[], skus: (string | null)[], barcodes: (string | null)[]],
  { id: number | null; weighable: boolean | null; is_active: boolean | null }
>({
  name: 'find_products_of_hold',
  lane: 'slow',
  sql: `select p.id, p.weighable, p.is_active
   from unnest($2::bigint[], $3::text[], $4::text[]) with ordinality l (product_id, sku, barcode, position)
   left join lateral (
     (select id, weighable, is_active from products where tenant_id = $1 and id = l.product_id)
     union all
     (select id, weighable, is_active from products where tenant_id = $1 and external_id = l.sku)
     union all
     (select id, weighable, is_active from products where tenant_id = $1 and barcode = l.barcode)
     limit 1
   ) p on true
   order by l.position`,
})

/**
 * The products that the lines name. Throws `validation_error` for every line whose product is unknown, or whose quantity is a fraction although
 * the product is not weighable.
 */
export async function productsOf(db: Queryable, tenantId: number, lines: readonly HoldLineInput[]): Promise<HeldProduct[]> {
  const rows = await db.run(findProducts, [
    tenantId,
    lines.map(({ product_id: product }) => product ?? null),
    lines.map(({ sku }) => sku ?? null),
    lines.map(({ barcode }) => barcode ?? null),
  ])
  const products = lines.map((line, index) => ({ line, index, ...(rows[index] as (typeof rows)[number]) }))
  refuse(
    products.flatMap(({ line, index, id, weighable }) => {
      if (id === null) return [{ path: `lines[${index}].${nameOf(line)}`, error: 'names no product' }]
      const isFraction = weighable !== true && !Number.isInteger(line.quantity)
      return isFraction
        ? [{ path: `lines[${index}].quantity`, error: 'must be an integer, because the product is not weighable' }]
        : []
    }),
  )
  return products.map(({ line, id, is_active: isActive }) => ({
    productId: id as number,
    quantity: line.quantity,
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

function nameOf({ product_id: product, sku }: HoldLineInput): string {
  if (product !== null && product !== undefined) return 'product_id'
  return sku === null || sku === undefined ? 'barcode' : 'sku'
}
