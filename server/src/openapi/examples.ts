import { SAMPLE_TIME, SAMPLE_VALUES } from './sample-values.ts'
import type { JsonObject } from './types.ts'

/** As much of a JSON Schema as examples are made from. */
interface Schema extends JsonObject {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  examples?: unknown[]
}

type Components = Record<string, Schema>

/** Where in the document a value stands, and whether it is asked for or answered. */
interface Place {
  path: readonly string[]
  inRequest: boolean
  components: Components
}

/** A body with what it needs, and those of its other fields whose schema has an example: so they can be chosen to go together. */
export function requestExample(operationId: string, schema: Schema, components: Components): unknown {
  return exampleOf(schema, { path: [operationId], inRequest: true, components })
}

/** The `data` of an answer, with all of its fields. */
export function answerExample(operationId: string, schema: Schema, components: Components): unknown {
  return exampleOf(schema, { path: [operationId], inRequest: false, components })
}

function exampleOf(schema: Schema, place: Place): unknown {
  const { path, components } = place
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return exampleOf(components[name] ?? {}, { ...place, path: [...path, name] })
  }
  if (schema.examples !== undefined) return schema.examples[0]
  const key = path.map((_, start) => path.slice(start).join('.')).find((end) => end in SAMPLE_VALUES)
  if (key !== undefined) return SAMPLE_VALUES[key]
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [alternative] = schema.anyOf ?? schema.oneOf ?? []
  if (alternative !== undefined) return exampleOf(alternative, place)
  if (schema.properties !== undefined) return objectExample(schema.properties, schema.required ?? [], place)
  if (schema.items !== undefined) return [exampleOf(schema.items, place)]
  return plainValue(schema)
}

function objectExample(properties: Record<string, Schema>, required: readonly string[], place: Place): JsonObject {
  const shown = Object.entries(properties).filter(
    ([name, schema]) => !place.inRequest || required.includes(name) || hasExample(schema),
  )
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, { ...place, path: [...place.path, name] })]))
}

function hasExample({ examples, anyOf = [] }: Schema): boolean {
  return examples !== undefined || anyOf.some(hasExample)
}

function plainValue({ type, format }: Schema): unknown {
  if (format === 'date-time') return SAMPLE_TIME
  if (format === 'date') return '2026-11-30'
  const [first] = [type].flat()
  return first === 'boolean' ? true : first === 'string' ? 'text' : 1
}
