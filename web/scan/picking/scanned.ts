import { readCode } from '@fulfillment/codes/read-code.ts'
import { type Resolved, resolveMeanings } from '@fulfillment/codes/resolve-meanings.ts'
import type { Picking } from './decision.ts'
import type { LineView, WalkView } from './view.ts'

/** The lines of the product that was scanned, and what the scan stands for. */
export interface Scanned {
  lines: LineView[]
  units: number
  /** The code says how much: no part of it can be taken. */
  isQuantified: boolean
}

/** A barcode of a product of the walk. */
interface Match {
  product_id: number
  pack_quantity: number
  weighable: boolean
}

/** The server reads codes in the same way, by all barcodes of the tenant: here they are those of the walk. */
export function scannedOf({ reading }: Picking, { lines }: WalkView, codes: readonly string[]): Scanned | undefined {
  const find = (barcode: string): Match | undefined => {
    for (const { line } of lines) {
      const { product_id, barcodes = [] } = line
      const match = [...barcodes, { barcode: line.barcode, quantity: 1 }].find((one) => one.barcode === barcode)
      // Codes with a weight are on goods that are weighed. If those are not, the server refuses the fraction.
      const weighable = reading.isWeighable(product_id) ?? true
      if (match !== undefined) return { product_id, pack_quantity: match.quantity, weighable }
    }
    return undefined
  }
  const resolved = first(codes, (code) => resolveMeanings(readCode(code, reading), find))
  // A scale that shows nothing.
  if (resolved === undefined || resolved.quantity <= 0) return undefined
  const { match, quantity, isQuantified } = resolved
  return { lines: lines.filter(({ product_id }) => product_id === match.product_id), units: quantity, isQuantified }
}

function first(codes: readonly string[], resolve: (code: string) => Resolved<Match> | undefined): Resolved<Match> | undefined {
  for (const code of codes) {
    const resolved = resolve(code)
    if (resolved !== undefined) return resolved
  }
  return undefined
}
