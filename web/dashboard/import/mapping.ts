import { unguardFormula } from '@fulfillment/codes/formula-guard.ts'
import { isNumber } from '@fulfillment/codes/is-number.ts'
import type { ImportTarget, Item } from './import-target.ts'

/** The field of each column; undefined for one that is left out. */
export type Mapping = readonly (string | undefined)[]

/** Guesses what the columns are by their names. No two are the same field. */
export function guessMapping(header: readonly string[], { fields, aliases }: ImportTarget): Mapping {
  const taken = new Set<string>()
  return header.map((name) => {
    const plain = name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
      .replaceAll(/^_|_$/g, '')
    const field = aliases[plain] ?? plain
    if (!fields.includes(field) || taken.has(field)) return undefined
    taken.add(field)
    return field
  })
}

/** Fields of which one must have a column and none has. */
export function missingFields(mapping: Mapping, { required }: ImportTarget): (readonly string[])[] {
  return required.filter((group) => !group.some((field) => mapping.includes(field)))
}

/** A field that several columns have. */
export function fieldGivenTwice(mapping: Mapping): string | undefined {
  return mapping.find((field, index) => field !== undefined && mapping.indexOf(field) !== index)
}

/** The item of a row. An empty cell leaves its field out. What is no number goes to the server as it is, which says so. */
export function itemOf(cells: readonly string[], mapping: Mapping, { numbers }: ImportTarget): Item {
  const item: Item = {}
  for (const [index, field] of mapping.entries()) {
    const cell = cells[index] ?? ''
    if (field === undefined || cell.trim() === '') continue
    item[field] = numbers.has(field) && isNumber(cell) ? Number(cell) : unguardFormula(cell)
  }
  return item
}
