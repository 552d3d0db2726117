import { exact } from '../../shared/exact.ts'
import { type Entry, isOfRecord, type RecordEntry } from '../queue/entry.ts'
import { expectedOf, type Receivable, refOf } from './record.ts'

/** A product as the screens name it. */
export interface Product {
  product_id: number
  name: string
  /** Sold by weight. Absent if this device does not know. */
  weighable?: boolean
}

/** What was announced of a product, and what has come of it, counting what waits in the queue. */
export interface GoodsLine extends Product {
  barcode: string
  sku: string | null
  expected: number
  received: number
  left: number
}

/** The products of a record, each once, in its order. `entries` may be those of all records. */
export function linesOf(known: Receivable, entries: readonly Entry[]): GoodsLine[] {
  const changes = changesOf(entries.filter((entry) => isOfRecord(entry, refOf(known))))
  const { lines } = known.record
  const products = [...new Set(lines.map(({ product_id }) => product_id)), ...changes.keys()]
  return [...new Set(products)].map((id) => {
    const own = lines.filter(({ product_id }) => product_id === id)
    const change = changes.get(id)
    const sum = (of: (line: (typeof own)[number]) => number): number => own.reduce((total, line) => total + of(line), 0)
    return {
      product_id: id,
      name: own[0]?.product_name ?? change?.name ?? '',
      barcode: own[0]?.barcode ?? '',
      sku: own[0]?.sku ?? null,
      expected: exact(sum(({ quantity }) => quantity)),
      received: exact(sum(({ received_quantity }) => received_quantity) + (change?.quantity ?? 0)),
      left: Math.max(0, exact(expectedOf(known, id) - (change?.quantity ?? 0))),
    }
  })
}

interface Change {
  name: string
  quantity: number
}

/** Quantities by product that only the device knows of, less those that the server still counts. What was refused counts as not done. */
function changesOf(entries: readonly RecordEntry[]): Map<number, Change> {
  const changes = new Map<number, Change>()
  const kindsOf = (id: string): string[] => entries.filter(({ pick_id }) => pick_id === id).map(({ kind }) => kind)
  for (const { kind, pick_id, state, body, about } of entries) {
    // A receipt and its undo make nothing together.
    if (kind === 'count' || state === 'refused' || kindsOf(pick_id).length > 1) continue
    const before = changes.get(body.product_id)?.quantity ?? 0
    const quantity = exact(before + (kind === 'undo' ? -body.quantity : body.quantity))
    changes.set(body.product_id, { name: about.product_name, quantity })
  }
  return changes
}
