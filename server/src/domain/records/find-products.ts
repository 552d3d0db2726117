import type { Queryable } from '../../database/database.ts'
import { statement, type StatementRunner } from '../../database/statements/statement.ts'
import { invalidFields } from '../../errors/invalid-field.ts'
import { isGiven } from '../../procedures/fields/fields.ts'
import { resolveCodes } from '../barcodes/index.ts'
import { nameOf, type NamedProduct } from './named-product.ts'

/** A line that names a product. Its quantity may be left out when its barcode carries one. */
export interface NamedLine extends NamedProduct {
  quantity?: number | null | undefined
}

/** What a line names. All fields are null when it is nothing. */
export interface FoundProduct {
  id: number | null
  weighable: boolean | null
  is_active: boolean | null
  /** The quantity that the barcode carries, if any. */
  carried?: number | null
}

interface Problem {
  path: string
  error: string
}

const findNamed = statement<
  [tenantId: number, ids: (number | null)[], skus: (string | null)[], barcodes: (string | null)[]],
  FoundProduct
>({
  name: 'find_named_products',
  connection: 'slow',
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

/** The product of each line, deleted ones too. A primary barcode is found together with the other names; only the rest is resolved. */
export async function findProducts(db: Queryable, tenantId: number, lines: readonly NamedProduct[]): Promise<FoundProduct[]> {
  const found = await db.run(findNamed, [
    tenantId,
    lines.map(({ product_id: product }) => product ?? null),
    lines.map(({ sku }) => sku ?? null),
    lines.map(({ barcode }) => barcode ?? null),
  ])
  const unknown = lines.flatMap(({ barcode }, index) =>
    isGiven(barcode) && found[index]?.id === null ? [{ index, barcode: barcode as string }] : [],
  )
  const codes = await resolveCodes(
    db,
    tenantId,
    unknown.map(({ barcode }) => barcode),
  )
  for (const [position, { index }] of unknown.entries()) {
    const code = codes[position]
    if (code !== undefined) found[index] = { ...code.product, carried: code.carried }
  }
  return found
}

/** The call with the product that its barcode names instead of the barcode, and the quantity that the barcode carries if none was sent. */
export async function resolveName<Input extends NamedLine>(db: StatementRunner, tenantId: number, input: Input): Promise<Input> {
  if (!isGiven(input.barcode)) return input
  const [code] = await resolveCodes(db, tenantId, [input.barcode as string])
  const named = code === undefined ? {} : { product_id: code.product.id, barcode: null }
  return { ...input, ...named, quantity: input.quantity ?? code?.carried }
}

/**
 * The id of the product of each line. Throws `validation_error` that lists every line whose product is unknown, whose quantity is missing, or
 * is a fraction although the product is not weighable. A SKU names an active product.
 */
export function requireProducts(lines: readonly NamedLine[], found: readonly FoundProduct[]): number[] {
  requireNone(lines.flatMap((line, index) => problemOf(line, found[index] as FoundProduct, `lines[${index}]`)))
  return found.map(({ id }) => id as number)
}

/** The quantity of each line: as sent, or as its barcode carries it; null for none. */
export function quantitiesOf(lines: readonly NamedLine[], found: readonly FoundProduct[]): (number | null)[] {
  return lines.map(({ quantity }, index) => quantity ?? found[index]?.carried ?? null)
}

/** Throws `validation_error` that lists the problems, if there are any. */
export function requireNone(details: Problem[]): void {
  if (details.length > 0) throw invalidFields(details)
}

/**
 * What is wrong with a line at `path`: its product is unknown, or its quantity is missing, or a fraction although the product is not weighable.
 * A SKU names an active product.
 */
export function problemOf(line: NamedLine, product: FoundProduct, path: string): Problem[] {
  const name = nameOf(line)
  if (product.id === null || (name === 'sku' && product.is_active !== true))
    return [{ path: `${path}.${name}`, error: 'names no product' }]
  const quantity = line.quantity ?? product.carried ?? null
  if (quantity === null) return [{ path: `${path}.quantity`, error: 'is required' }]
  if (product.weighable === true || Number.isInteger(quantity)) return []
  return [{ path: `${path}.quantity`, error: 'must be an integer, because the product is not weighable' }]
}
