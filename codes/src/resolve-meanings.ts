import type { Meaning } from './read-code.ts'

/** A registered barcode, and what of its product decides how a code is read. */
export interface RegisteredBarcode {
  /** Base units in it. */
  pack_quantity: number
  weighable: boolean
}

/** The registered barcode that a code names. */
export interface Resolved<Match extends RegisteredBarcode> {
  match: Match
  barcode: string
  /** How the code named it. */
  meaning: Meaning
  /** What one scan stands for, in base units. */
  quantity: number
  /** Whether the code says how much: it is a pack, or has a weight or a count. */
  isQuantified: boolean
}

/** The first meaning of a code that names a registered barcode; undefined if none does. */
export function resolveMeanings<Match extends RegisteredBarcode>(
  meanings: readonly Meaning[],
  find: (barcode: string) => Match | undefined,
): Resolved<Match> | undefined {
  for (const meaning of meanings)
    for (const barcode of meaning.barcodes) {
      const match = find(barcode)
      if (match !== undefined && (match.weighable || !meaning.isWeighable)) return resolved(meaning, barcode, match)
    }
  return undefined
}

function resolved<Match extends RegisteredBarcode>(meaning: Meaning, barcode: string, match: Match): Resolved<Match> {
  const { pack_quantity: packQuantity, weighable } = match
  const { weight } = meaning
  const count = meaning.elements?.count ?? null
  const quantity = rounded(weighable && weight !== null ? weight : packQuantity * (count ?? 1))
  return { match, barcode, meaning, quantity, isQuantified: packQuantity !== 1 || weight !== null || count !== null }
}

/** Half up, to the 3 places of quantities. The product in binary can be just below a half: 0.5005 × 1,000 is 500.49999999999994. */
const rounded = (quantity: number): number => Math.round(Number((quantity * 1_000).toPrecision(15))) / 1_000
