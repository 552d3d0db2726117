import { SAMPLE_TIME, SAMPLE_VALUES } from './sample-values.ts'
import type { JsonObject } from './types.ts'

/** The parts of a JSON Schema that examples need. */
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

/** The path of a value in the document, and whether it is in a request or a response. */
interface ValueContext {
  path: readonly string[]
  inRequest: boolean
  components: Components
}

/** A request body with the required fields, and the optional fields whose schema has an example, which are chosen to fit together. */
export function requestExample(operationId: string, schema: Schema, components: Components): unknown {
  return exampleOf(schema, { path: [operationId], inRequest: true, components })
}

/** The `data` of a response, with all fields. */
export function responseExample(operationId: string, schema: Schema, components: Components): unknown {
  return exampleOf(schema, { path: [operationId], inRequest: false, components })
}

function exampleOf(schema: Schema, context: ValueContext): unknown {
  const { path, components } = context
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return exampleOf(components[name] ?? {}, { ...context, path: [...path, name] })
  }
  if (schema.examples !== undefined) return schema.examples[0]
  const key = path.map((_, start) => path.slice(start).join('.')).find((end) => end in SAMPLE_VALUES)
  if (key !== undefined) return SAMPLE_VALUES[key]
  if ('const' in schema) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  const [alternative] = schema.anyOf ?? schema.oneOf ?? []
  if (alternative !== undefined) return exampleOf(alternative, context)
  if (schema.properties !== undefined) return objectExample(schema.properties, schema.required ?? [], context)
  if (schema.items !== undefined) return [exampleOf(schema.items, context)]
  return plainValue(schema)
}

function objectExample(properties: Record<string, Schema>, required: readonly string[], context: ValueContext): JsonObject {
  const shown = Object.entries(properties).filter(
    ([name, schema]) => !context.inRequest || required.includes(name) || hasExample(schema),
  )
  return Object.fromEntries(
    shown.map(([name, schema]) => [name, exampleOf(schema, { ...context, path: [...context.path, name] })]),
  )
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
