import fc, { type Arbitrary } from 'fast-check'

/** The parts of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  examples?: unknown[]
}

export interface Generation {
  /** Schemas by their name in `components`. */
  components: Record<string, Schema>
  /** Values that have a meaning in the service, by field name. */
  known: Record<string, unknown[]>
}

const MAX_ITEMS = 4
const MAX_LENGTH = 300
const MAX_SAFE_DECIMAL = 1e12

/** Text as callers write it: any character that can be stored. */
const text = (minLength: number, maxLength: number): Arbitrary<string> =>
  fc
    .string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, MAX_LENGTH) })
    .filter((value) => !value.includes('\u0000'))

const day = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })

const FORMATS: Record<string, Arbitrary<string>> = {
  date: day.map((value) => value.toISOString().slice(0, 10)),
  'date-time': day.map((value) => value.toISOString()),
  // Nothing listens there, so no test sends requests to others.
  uri: fc.constant('http://127.0.0.1:1/'),
}

/** Values that match a schema. `name` is the name of the field. */
export function valuesOf(schema: Schema, generation: Generation, name = ''): Arbitrary<unknown> {
  const fitting = fittingValues(schema, generation)
  const known = generation.known[name] ?? []
  return known.length === 0
    ? fitting
    : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fitting })
}

function fittingValues(schema: Schema, generation: Generation): Arbitrary<unknown> {
  if (schema.$ref !== undefined)
    return fittingValues(generation.components[schema.$ref.split('/').at(-1) ?? ''] as Schema, generation)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return fc.oneof(...alternatives.map((alternative) => fittingValues(alternative, generation)))
  const types = [schema.type ?? 'any'].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema, generation)))
}

function ofType(type: string, schema: Schema, generation: Generation): Arbitrary<unknown> {
  const {
    minLength = 0,
    maxLength = MAX_LENGTH,
    minimum = -MAX_SAFE_DECIMAL,
    maximum = MAX_SAFE_DECIMAL,
    exclusiveMinimum,
  } = schema
  switch (type) {
    case 'string':
      if (schema.format !== undefined && schema.format in FORMATS) return FORMATS[schema.format] as Arbitrary<string>
      return schema.pattern === undefined ? text(minLength, maxLength) : fc.stringMatching(new RegExp(schema.pattern, 'u'))
    case 'integer':
      return fc.oneof(
        fc.integer({ min: Math.max(minimum, -10), max: Math.min(maximum, 1_000) }),
        fc
          .maxSafeInteger()
          .map((value) => Math.min(Math.max(value, Math.ceil(minimum)), Math.floor(schema.maximum ?? Number.MAX_SAFE_INTEGER))),
      )
    case 'number':
      return fc
        .integer({
          min: Math.max((exclusiveMinimum ?? minimum) * 1_000 + (exclusiveMinimum === undefined ? 0 : 1), -1e15),
          max: Math.min(maximum * 1_000, 1e15),
        })
        .map((thousandths) => thousandths / 1_000)
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array': {
      const { minItems = 0, maxItems = MAX_ITEMS } = schema
      return fc.array(valuesOf(schema.items ?? {}, generation), {
        minLength: minItems,
        maxLength: Math.min(maxItems, minItems + MAX_ITEMS),
      })
    }
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([name, property]) => [name, valuesOf(property, generation, name)] as const,
      )
      return recordOf(fields, schema.required ?? [])
    }
    default:
      return fc.jsonValue()
  }
}

/** Objects with these fields. Only the required fields are always present. */
export function recordOf(
  fields: readonly (readonly [name: string, values: Arbitrary<unknown>])[],
  required: readonly string[],
): Arbitrary<Record<string, unknown>> {
  return fc.record<Record<string, unknown>, string>(Object.fromEntries(fields), { requiredKeys: [...required] })
}

/** Values for no schema: any JSON, strings with characters that cannot be stored, numbers at the limits. */
const anything: Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.string({ unit: 'binary' }).map((value) => `${value}\ud800\u0000`),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    -0,
    1e308,
    5e-324,
    2 ** 53,
    '',
    ' ',
    '__proto__',
    'x'.repeat(5_000),
    '2026-02-30',
    '0000-01-01',
    '9999-12-31T23:59:59.999Z',
  ),
)

/** A value in which one part, at any depth, is replaced by anything or omitted. */
export function brokenValuesOf(valid: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.tuple(valid, fc.nat(), fc.option(anything, { nil: undefined })).map(([value, at, part]) => {
    const places = placesIn(value)
    return replaced(value, places[at % places.length] ?? [], part)
  })
}

function placesIn(value: unknown, place: string[] = []): string[][] {
  const inside: [string, unknown][] = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return [place, ...inside.flatMap(([key, part]): string[][] => placesIn(part, [...place, key]))]
}

function replaced(value: unknown, [key, ...rest]: string[], part: unknown): unknown {
  if (key === undefined) return part
  if (Array.isArray(value)) return value.map((item, index) => (String(index) === key ? replaced(item, rest, part) : item) ?? null)
  return { ...(value as object), [key]: replaced((value as Record<string, unknown>)[key], rest, part) }
}
