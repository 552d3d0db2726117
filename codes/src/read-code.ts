import { splitDigitalLink } from './digital-link.ts'
import { GS, splitBracketed, splitElementString } from './element-string.ts'
import { type Element, type Gs1Elements, readElements } from './gs1-elements.ts'
import { gtinOf, gtinOfUpcE, hasCheckDigit, spellingsOf } from './gtin.ts'
import { readWeight, type WeightPattern } from './weight-barcode.ts'

/** How a code names a product. */
export interface Meaning {
  /** The product has one of these barcodes; the first that a product has counts. */
  barcodes: readonly string[]
  /** Whether the product must be weighable. */
  isWeighable: boolean
  /** In kilograms, or null. */
  weight: number | null
  /** 14 digits, or null when the code is a barcode as it stands. */
  gtin: string | null
  /** Null unless the code is an element string or a Digital Link. */
  elements: Gs1Elements | null
}

/** What is known when a code is read. */
export interface ReadingContext {
  weightPatterns: readonly WeightPattern[]
  /** The present one: it tells the century of dates. */
  year: number
}

/** A prefix by which a scanner names the symbology. */
const AIM = /^\][!-~]{2}/
/** Those of symbols with element strings: GS1-128, GS1 DataBar, GS1 DataMatrix and GS1 QR Code. */
const GS1_AIM = /^\](?:C1|e0|d2|Q3)/
const LENGTH_OF_AIM = 3

/** An element string of GTIN and more, without any mark that it is one. */
const LENGTH_OF_GTIN_ELEMENT = 16

/**
 * What a code can mean, the first that names a product counts: a barcode as it stands, an EAN-13 or UPC-A with a weight, a GTIN in another
 * length, a GS1 element string or Digital Link, a UPC-E. A code with a prefix of a symbology that is no element string is then read without
 * the prefix.
 */
export function readCode(code: string, context: ReadingContext): Meaning[] {
  const text = code.trim()
  const meanings = meaningsOf(text, context)
  const isUnderstood = meanings.some(({ elements }) => elements !== null)
  if (isUnderstood || !AIM.test(text)) return meanings
  return [...meanings, ...meaningsOf(text.slice(LENGTH_OF_AIM).trim(), context)]
}

function meaningsOf(text: string, { weightPatterns, year }: ReadingContext): Meaning[] {
  if (text === '') return []
  const plain: Meaning = { barcodes: [text], isWeighable: false, weight: null, gtin: null, elements: null }
  const weighed = readWeight(text, weightPatterns)
  const gtin = gtinOf(text)
  const elements = elementsOf(text, year)
  const ofUpcE = gtinOfUpcE(text)
  return [
    plain,
    ...(weighed === undefined ? [] : [{ ...plain, barcodes: [weighed.item], isWeighable: true, weight: weighed.weight }]),
    ...(gtin === undefined ? [] : [{ ...plain, barcodes: spellingsOf(gtin), gtin }]),
    ...(elements === undefined ? [] : [{ ...plain, ...namedBy(elements), weight: elements.weight, elements }]),
    ...(ofUpcE === undefined ? [] : [{ ...plain, barcodes: spellingsOf(ofUpcE), gtin: ofUpcE }]),
  ]
}

const namedBy = ({ gtin }: Gs1Elements): Pick<Meaning, 'barcodes' | 'gtin'> => ({
  barcodes: gtin === null ? [] : spellingsOf(gtin),
  gtin,
})

/** The elements of a code; undefined if it has none that are read. */
function elementsOf(text: string, year: number): Gs1Elements | undefined {
  const split = elementsIn(text)
  const elements = split === undefined ? undefined : readElements(split, year)
  return elements !== undefined && Object.values(elements).some((value) => value !== null) ? elements : undefined
}

function elementsIn(text: string): Element[] | undefined {
  if (GS1_AIM.test(text)) return splitElementString(text.slice(LENGTH_OF_AIM))
  if (text.startsWith('(')) return splitBracketed(text)
  if (text.includes(GS)) return splitElementString(text)
  if (/^https?:/i.test(text)) return splitDigitalLink(text)
  const isGtinAndMore =
    text.length > LENGTH_OF_GTIN_ELEMENT && /^01\d{14}/.test(text) && hasCheckDigit(text.slice(2, LENGTH_OF_GTIN_ELEMENT))
  return isGtinAndMore ? splitElementString(text) : undefined
}
