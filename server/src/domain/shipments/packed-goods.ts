import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { findProducts, type FoundProduct, problemOf, requireNone, sentName } from '../records/index.ts'
import type { PackedValues, TooMuch } from './packing-parts.ts'
import type { NewPackage, NewPackageLine } from './schemas.ts'

/** A line of a package, and the order line or product that it names. */
interface PackedLine {
  line: NewPackageLine
  packageNumber: number
  /** `packages[0].lines[2]` */
  path: string
  /** The product; of a line of the order, that line's. */
  product: FoundProduct
}

const findLines = statement<[tenantId: number, orderId: number, lineIds: number[]], FoundProduct>({
  name: 'find_order_lines_to_pack',
  connection: 'slow',
  sql: `select p.id, p.weighable, p.is_active
   from unnest($3::bigint[]) with ordinality w (id, position)
   left join lateral (select product_id from order_lines where tenant_id = $1 and order_id = $2 and id = w.id limit 1) x on true
   left join lateral (select id, weighable, is_active from products where tenant_id = $1 and id = x.product_id limit 1) p on true
   order by w.position`,
})

/** The lines of packages, with what they name. Nothing is refused yet: see `requireLines`. */
export async function findPacked(
  db: Queryable,
  tenantId: number,
  orderId: number,
  packages: readonly NewPackage[],
): Promise<PackedLine[]> {
  const lines = packages.flatMap(({ lines }, index) =>
    lines.map((line, position) => ({ line, packageNumber: index + 1, path: `packages[${index}].lines[${position}]` })),
  )
  const ids = lines.flatMap(({ line: { order_detail_id: id } }) => id ?? [])
  const named = lines.flatMap(({ line }) => (isOfOrderLine(line) ? [] : [line]))
  const ofLines = ids.length === 0 ? [] : await db.run(findLines, [tenantId, orderId, ids])
  const ofNames = named.length === 0 ? [] : await findProducts(db, tenantId, named)
  const [nextOfLine, nextOfName] = [ofLines.values(), ofNames.values()]
  return lines.map((packed) => ({
    ...packed,
    product: (isOfOrderLine(packed.line) ? nextOfLine : nextOfName).next().value as FoundProduct,
  }))
}

const isOfOrderLine = ({ order_detail_id: id }: NewPackageLine): boolean => (id ?? null) !== null

/** Throws `validation_error` that lists every line that names nothing, or whose quantity is missing, or a fraction of a product that is not weighable. */
export function requireLines(lines: readonly PackedLine[]): void {
  requireNone(
    lines.flatMap(({ line, product, path }) => {
      if (!isOfOrderLine(line)) return problemOf(line, product, path)
      if (product.id === null) return [{ path: `${path}.order_detail_id`, error: 'is not a line of the order' }]
      return problemOf({ product_id: product.id, quantity: line.quantity }, product, path)
    }),
  )
}

/** Content of packages for `hashOf`: as it was sent, and with products as the records that they name. */
export function contentOf(packages: readonly NewPackage[], lines: readonly PackedLine[]): { sent: unknown; meant: unknown } {
  const fields = packages.map((pack) => FIELDS.map((field) => pack[field] ?? null))
  const ofLine = ({ packageNumber }: PackedLine, name: unknown, quantity: unknown): unknown[] => [packageNumber, name, quantity]
  const idOf = ({ order_detail_id: id }: NewPackageLine): string => `order_detail_id ${id}`
  return {
    sent: [
      fields,
      lines.map((packed) =>
        ofLine(packed, isOfOrderLine(packed.line) ? idOf(packed.line) : sentName(packed.line), packed.line.quantity ?? null),
      ),
    ],
    meant: [
      fields,
      lines.map((packed) =>
        ofLine(packed, isOfOrderLine(packed.line) ? idOf(packed.line) : packed.product.id, quantityOf(packed)),
      ),
    ],
  }
}

/** The quantity of a line: as sent, or as its barcode carries it. */
const quantityOf = ({ line, product }: PackedLine): number | null => line.quantity ?? product.carried ?? null

/** The fields of a package besides its lines, in the order of the parameters. */
const FIELDS = ['weight', 'width', 'height', 'depth', 'carrier', 'tracking_number', 'tracking_url', 'label_url'] as const

/** The values of a statement that packs. */
export function packedValues(
  tenantId: number,
  orderId: number,
  packages: readonly NewPackage[],
  lines: readonly PackedLine[],
): PackedValues {
  const all = <Field extends (typeof FIELDS)[number]>(field: Field) => packages.map((pack) => pack[field] ?? null)
  return [
    tenantId,
    orderId,
    lines.map(({ packageNumber }) => packageNumber),
    lines.map(({ line }) => line.order_detail_id ?? null),
    lines.map(({ line, product }) => (isOfOrderLine(line) ? null : product.id)),
    lines.map((packed) => quantityOf(packed) as number),
    all('weight'),
    all('width'),
    all('height'),
    all('depth'),
    all('carrier'),
    all('tracking_number'),
    all('tracking_url'),
    all('label_url'),
  ]
}

/** Throws `shipment_error` if a statement that packs found more than was taken. */
export function requireRoom({ order_line_id: line, product_id: product, wanted, taken, packed }: TooMuch): void {
  if (product === null) return
  const what = line === null ? `product ${product}` : `order line ${line}`
  throw new ServiceError(
    'shipment_error',
    `Cannot pack ${wanted} of ${what}: ${taken} taken for the order, ${packed} packed already`,
  )
}
