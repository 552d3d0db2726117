/** A quantity of a product from a location. */
export interface Goods {
  product: string
  location: string
  quantity: number
}

interface Row extends Goods {
  order: string
  flow: number
}

/** What the operator has taken in hand, by what the device said: a record of its own, beside those of the device and the server. */
export class Ledger {
  /** Flows that were put back as a whole. */
  readonly dropped = new Set<number>()
  #rows: Row[] = []

  /** Something sounded ok. */
  take(row: Row): void {
    this.#rows.push(row)
  }

  /** An undo sounded ok: the latest goods of this kind go back. */
  undo(flow: number, product: string, quantity: number): void {
    let left = quantity
    for (const row of this.#rows.toReversed()) {
      if (row.flow !== flow || row.product !== product || left === 0) continue
      const back = Math.min(left, row.quantity)
      row.quantity -= back
      left -= back
    }
    if (left > 0) throw new Error(`Undone: ${quantity} × ${product}, and ${left} of them were never taken`)
  }

  /** A refused pick was put back. */
  putBack(order: string, goods: Goods): void {
    this.#remove(order, goods)
  }

  /** A refused pick was taken from another location. */
  move(order: string, goods: Goods, location: string): void {
    const flow = this.#remove(order, goods)
    this.take({ ...goods, order, flow, location })
  }

  /** The whole flow was put back. */
  drop(flow: number): void {
    this.dropped.add(flow)
    this.#rows = this.#rows.filter((row) => row.flow !== flow)
  }

  /** Quantities of an order, by product and location. */
  of(order: string): Record<string, number> {
    return sums(this.#rows.filter((row) => row.order === order))
  }

  #remove(order: string, { product, location, quantity }: Goods): number {
    let left = quantity
    let flow = 0
    for (const row of this.#rows) {
      if (row.order !== order || row.product !== product || row.location !== location || left === 0) continue
      const back = Math.min(left, row.quantity)
      row.quantity -= back
      left -= back
      flow = row.flow
    }
    if (left > 0) throw new Error(`${order}: ${left} of ${quantity} × ${product} from ${location} were never taken`)
    return flow
  }
}

/** Sums by product and location, without those that are 0. */
export function sums(goods: readonly Goods[]): Record<string, number> {
  const sum = new Map<string, number>()
  for (const { product, location, quantity } of goods) {
    const key = `${product} from ${location}`
    sum.set(key, (sum.get(key) ?? 0) + quantity)
  }
  return Object.fromEntries([...sum].filter(([, quantity]) => quantity !== 0).toSorted())
}
