import { readCode, type Meaning } from '@fulfillment/codes/read-code.ts'
import { resolveMeanings } from '@fulfillment/codes/resolve-meanings.ts'
import { ean13Of, type WeightPattern } from '@fulfillment/codes/weight-barcode.ts'
import { statement, type StatementRunner } from '../../database/statements/statement.ts'
import { MAX_QUANTITY } from '../../procedures/fields/fields.ts'

/** The product that a code names, and what one scan of it stands for. */
export interface ResolvedCode {
  product: NamedByCode
  /** The registered barcode that matched. */
  barcode: string
  /** Base units in it. */
  packQuantity: number
  /** How the code named the product. */
  meaning: Meaning
  /** What one scan stands for, in base units. */
  quantity: number
  /** The same where a call may leave its quantity out: for a pack, a weight or a count. Otherwise null, and where it is no quantity of a call. */
  carried: number | null
}

interface NamedByCode {
  id: number
  sku: string | null
  barcode: string
  name: string
  weighable: boolean
  is_active: boolean
}

/** A code as it is looked up: what it can mean, and the product if it has one. */
export interface LookedUpCode {
  meanings: readonly Meaning[]
  resolved: ResolvedCode | undefined
}

interface Match extends NamedByCode {
  /** Of the barcode that was looked for, from 1. */
  position: number
  pack_quantity: number
}

/** Deleted products too. The limits make each a lookup, even in a plan made on empty tables. */
const findBarcodes = statement<[tenantId: number, barcodes: string[]], Match>({
  name: 'find_barcodes',
  connection: 'read',
  sql: `select c.position, m.pack_quantity, p.id, p.external_id as sku, p.barcode, p.name, p.weighable, p.is_active
   from unnest($2::text[]) with ordinality c (barcode, position)
   cross join lateral (
     (select id, 1::numeric as pack_quantity from products where tenant_id = $1 and barcode = c.barcode limit 1)
     union all
     (select product_id, quantity from product_barcodes where tenant_id = $1 and barcode = c.barcode limit 1)
     limit 1
   ) m
   cross join lateral (
     select id, external_id, barcode, name, weighable, is_active from products where tenant_id = $1 and id = m.id limit 1
   ) p
   order by c.position`,
})

const selectPatterns = statement<[tenantId: number], { weight_barcodes: WeightPattern[] }>({
  name: 'get_weight_barcodes',
  connection: 'read',
  sql: 'select weight_barcodes from tenant_settings where tenant_id = $1',
})

const MAX_LENGTH = 255

/** More barcodes are looked for on a `slow` connection: on the shared ones they would hold up other requests. */
const FEW_BARCODES = 50

/**
 * Looks codes up, in their order. Every barcode that a call takes is read here: a barcode of a product or pack as it stands, an EAN-13 or
 * UPC-A with a weight, a GTIN in another length, a GS1 element string or Digital Link, a UPC-E. The first that names a product counts.
 */
export async function lookUpCodes(db: StatementRunner, tenantId: number, codes: readonly string[]): Promise<LookedUpCode[]> {
  const year = new Date().getUTCFullYear()
  const mayBeWeighed = codes.some((code) => mayHaveWeight(code))
  // Together: within a transaction, the second is sent without waiting for the first.
  const [settings, found] = await Promise.all([
    mayBeWeighed ? db.runOne(selectPatterns, [tenantId]) : undefined,
    findAll(
      db,
      tenantId,
      codes.flatMap((code) => barcodesOf(readCode(code, { weightPatterns: [], year }))),
    ),
  ])
  const weightPatterns = settings?.weight_barcodes ?? []
  const readings = codes.map((code) => readCode(code, { weightPatterns, year }))
  const items = readings.flatMap((meanings) => barcodesOf(meanings.filter(({ isWeighable }) => isWeighable)))
  const known = items.length === 0 ? found : new Map([...found, ...(await findAll(db, tenantId, items))])
  return readings.map((meanings) => ({ meanings, resolved: resolvedBy(meanings, known) }))
}

/** The products that codes name, in the order of the codes; undefined where one names none. */
export async function resolveCodes(
  db: StatementRunner,
  tenantId: number,
  codes: readonly string[],
): Promise<(ResolvedCode | undefined)[]> {
  return codes.length === 0 ? [] : (await lookUpCodes(db, tenantId, codes)).map(({ resolved }) => resolved)
}

/** The code, with or without the three characters that name its symbology, is an EAN-13 or UPC-A. */
const mayHaveWeight = (code: string): boolean =>
  [code.trim(), code.trim().slice(3).trim()].some((text) => ean13Of(text) !== undefined)

const barcodesOf = (meanings: readonly Meaning[]): string[] => meanings.flatMap(({ barcodes }) => barcodes)

/** No barcode has more characters. A character outside the Basic Multilingual Plane counts as two of the text's length. */
const isShortEnough = (text: string): boolean => text.length <= MAX_LENGTH || Array.from(text).length <= MAX_LENGTH

async function findAll(db: StatementRunner, tenantId: number, barcodes: readonly string[]): Promise<Map<string, Match>> {
  const distinct = [...new Set(barcodes)].filter(isShortEnough)
  if (distinct.length === 0) return new Map()
  const options = distinct.length > FEW_BARCODES ? { connection: 'slow' as const } : {}
  const matches = await db.run(findBarcodes, [tenantId, distinct], options)
  return new Map(matches.map((match) => [distinct[match.position - 1] as string, match]))
}

function resolvedBy(meanings: readonly Meaning[], known: ReadonlyMap<string, Match>): ResolvedCode | undefined {
  const resolved = resolveMeanings(meanings, (barcode) => known.get(barcode))
  if (resolved === undefined) return undefined
  const { match, barcode, meaning, quantity, isQuantified } = resolved
  const { position: _, pack_quantity: packQuantity, ...product } = match
  const carries = isQuantified && quantity > 0 && quantity <= MAX_QUANTITY
  return { product, barcode, packQuantity, meaning, quantity, carried: carries ? quantity : null }
}
