import { unguardFormula } from '@fulfillment/codes/formula-guard.ts'
import { isNumber } from '@fulfillment/codes/is-number.ts'
import { isRoundedCode } from '@fulfillment/codes/rounded-code.ts'
import { z } from 'zod'
import type { ImportTarget } from './import-target.ts'

interface Property {
  type?: string
  anyOf?: Property[]
}

/** The fields of an item in the API's schema. */
export interface Fields {
  types: ReadonlyMap<string, ReadonlySet<string>>
  required: readonly string[]
}

/** The field that a column's cells become, and its types; undefined for an ignored column. */
export type Column = { field: string; types: ReadonlySet<string> } | undefined

/** Reads the fields of an item and their types from the target's schema. */
export function fieldsOf({ schema }: ImportTarget): Fields {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, Property>
    required?: string[]
  }
  return { types: new Map(Object.entries(properties).map(([name, property]) => [name, new Set(typesOf(property))])), required }
}

function typesOf({ type, anyOf = [] }: Property): string[] {
  return [...(type === undefined ? [] : [type]), ...anyOf.flatMap(typesOf)]
}

/** `barcode (required), name, sku` */
export function describeFields({ types, required }: Fields): string {
  return [...types.keys()].map((name) => (required.includes(name) ? `${name} (required)` : name)).join(', ')
}

/** The field with a name used in a file, which may be an alias; undefined when there is none. */
export function fieldNamed(name: string, fields: Fields, { aliases }: ImportTarget): string | undefined {
  const field = aliases[name] ?? name
  return fields.types.has(field) ? field : undefined
}

/** The columns of a header. Throws an error that names what is wrong with the header. */
export function columnsOf(
  header: readonly string[],
  target: ImportTarget,
  options: { ignored: ReadonlySet<string>; ignoreUnknown: boolean },
): Column[] {
  const fields = fieldsOf(target)
  const names = header.map((name) => name.trim())
  const columns = names.map((name) => {
    const field = fieldNamed(name, fields, target)
    return field === undefined ? undefined : { field, types: fields.types.get(field) as ReadonlySet<string> }
  })
  const unknown = names.filter((name, index) => columns[index] === undefined && !options.ignored.has(name))
  if (unknown.length > 0 && !options.ignoreUnknown) throw new Error(unknownColumns(unknown, names, fields))
  const given = columns.flatMap((column) => column?.field ?? [])
  const twice = given.find((field, index) => given.indexOf(field) !== index)
  if (twice !== undefined) throw new Error(`The header has two columns for ${twice}`)
  const missing = fields.required.filter((field) => !given.includes(field))
  if (missing.length > 0) throw new Error(`The header lacks ${missing.join(', ')}. Columns: ${describeFields(fields)}`)
  return columns
}

function unknownColumns(unknown: readonly string[], names: readonly string[], fields: Fields): string {
  const separator = [';', '\t', '|'].find((candidate) => names.length === 1 && names[0]?.includes(candidate) === true)
  if (separator !== undefined)
    return `The header is one column, ${JSON.stringify(names[0])}: use --delimiter ${separator === '\t' ? 'tab' : `'${separator}'`}`
  return (
    `Unknown in the header: ${unknown.map((name) => JSON.stringify(name)).join(', ')}. Columns: ${describeFields(fields)}. ` +
    'Use --ignore-unknown to skip other columns'
  )
}

const BOOLEANS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** Their digits count. */
const CODES = new Set(['barcode', 'sku'])

/** The value of a non-empty cell. Throws when the cell does not have one of the column's types, or is a code without its last digits. */
export function valueOf(cell: string, { field, types }: NonNullable<Column>): string | number | boolean {
  if (CODES.has(field) && isRoundedCode(cell))
    throw new Error(`${JSON.stringify(cell)} was rounded by a spreadsheet. Write the column as text, with all digits`)
  if (types.has('string')) return unguardFormula(cell)
  const text = cell.trim()
  if (types.has('boolean')) {
    const value = BOOLEANS.get(text.toLowerCase())
    if (value === undefined) throw new Error(`${JSON.stringify(cell)} is not true or false`)
    return value
  }
  if (!isNumber(text)) throw new Error(`${JSON.stringify(cell)} is not a number such as 1234.5`)
  return Number(text)
}
