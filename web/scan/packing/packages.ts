import type { NewPackage, Package } from '@fulfillment/sdk'
import { exact } from '../../shared/exact.ts'

/** What is in a package of a product. */
export interface Content {
  product_id: number
  quantity: number
}

/** The products in a package, each once. */
export function contentsOf({ lines }: Package): Content[] {
  const quantities = new Map<number, number>()
  for (const { product_id, quantity } of lines) quantities.set(product_id, exact((quantities.get(product_id) ?? 0) + quantity))
  return [...quantities].map(([product_id, quantity]) => ({ product_id, quantity }))
}

/** The packages with more of some products in the one with this number, which may be a new one. */
export function withMore(packages: readonly Package[], number: number, more: readonly Content[]): NewPackage[] {
  const sent = packages.map(asSent)
  const into = sent[number - 1]
  if (into === undefined) return [...sent, { lines: [...more] }]
  return sent.with(number - 1, { ...into, lines: [...into.lines, ...more] })
}

/** The packages with so much of a product in one of them. A package without content goes. */
export function withQuantity(packages: readonly Package[], number: number, { product_id, quantity }: Content): NewPackage[] {
  const changed = packages.map((one) => {
    if (one.number !== number) return one
    return { ...one, lines: one.lines.filter((line) => line.product_id !== product_id) }
  })
  const sent = quantity > 0 ? withMore(changed, number, [{ product_id, quantity }]) : changed.map(asSent)
  return sent.filter(({ lines }) => lines.length > 0)
}

/** The packages with the weight of one of them, in kilograms. */
export const withWeight = (packages: readonly Package[], number: number, weight: number): NewPackage[] =>
  packages.map((one) => ({ ...asSent(one), weight: one.number === number ? weight : one.weight }))

/** What packages contain, as a text that is the same however they were sent. `productOf`: the product of each order line. */
export function comparableText(packages: readonly NewPackage[], productOf: ReadonlyMap<number, number>): string {
  return JSON.stringify(
    packages.map(({ lines, ...fields }) => {
      const quantities = new Map<number, number>()
      for (const { product_id, order_detail_id, quantity } of lines) {
        const product = product_id ?? productOf.get(order_detail_id ?? 0) ?? 0
        quantities.set(product, exact((quantities.get(product) ?? 0) + (quantity ?? 0)))
      }
      const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)
      return [...quantities, ...given].map((entry) => JSON.stringify(entry)).toSorted()
    }),
  )
}

/** A package as the server takes it: each order line once. */
export function asSent(one: Package): NewPackage {
  const { number: _, lines, ...fields } = one
  const quantities = new Map<number, number>()
  for (const { order_detail_id: id, quantity } of lines) quantities.set(id, exact((quantities.get(id) ?? 0) + quantity))
  return { ...fields, lines: [...quantities].map(([order_detail_id, quantity]) => ({ order_detail_id, quantity })) }
}
