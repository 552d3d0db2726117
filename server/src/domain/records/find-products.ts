import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../procedures/errors.ts'
import { nameOf, type NamedProduct } from './named-product.ts'

/** A line that names a product. */
export interface NamedLine extends NamedProduct {
  quantity: number
}

/** What a line names. All fields are null when it is nothing. */
export interface FoundProduct {
  id: number | null
  weighable: boolean | null
  is_active: boolean | null
}

const findNamed = statement<
  [tenantId: number, ids: (number | null)[], skus: (string | null)[], barcodes: (string | null)[]],
  FoundProduct
>({
  name: 'find_named_products',
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

/** The product of each line, deleted ones too. */
export function findProducts(db: Queryable, tenantId: number, lines: readonly NamedProduct[]): Promise<FoundProduct[]> {
  return db.run(findNamed, [
    tenantId,
    lines.map(({ product_id: product }) => product ?? null),
    lines.map(({ sku }) => sku ?? null),
    lines.map(({ barcode }) => barcode ?? null),
  ])
}

/**
 * The id of the product of each line. Throws `validation_error` that lists every line whose product is unknown, or whose quantity is a
 * fraction although the product is not weighable. A SKU names an active product.
 */
export function requireProducts(lines: readonly NamedLine[], found: readonly FoundProduct[]): number[] {
  const details = lines.flatMap((line, index) => problemOf(line, found[index] as FoundProduct, `lines[${index}]`))
  const [first] = details
  if (first !== undefined) throw new ServiceError('validation_error', `${first.path}: ${first.error}`, { details })
  return found.map(({ id }) => id as number)
}

function problemOf(line: NamedLine, product: FoundProduct, path: string): { path: string; error: string }[] {
  const name = nameOf(line)
  if (product.id === null || (name === 'sku' && product.is_active !== true))
    return [{ path: `${path}.${name}`, error: 'names no product' }]
  if (product.weighable === true || Number.isInteger(line.quantity)) return []
  return [{ path: `${path}.quantity`, error: 'must be an integer, because the product is not weighable' }]
}
