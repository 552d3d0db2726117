/** The parts of OpenAPI's shape needed to work on a generated document. */
export interface JsonObject {
  [key: string]: unknown
}

export interface Parameter extends JsonObject {
  in: string
  name: string
  required?: boolean
  schema?: JsonObject
}

interface Content {
  [mediaType: string]: { schema: JsonObject } | undefined
}

export interface Operation extends JsonObject {
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content } | undefined>
}

/** Adds a description, unless the schema has one or is a `$ref`: the component has its own, and not every generator reads a text beside a `$ref`. */
export function described(schema: JsonObject, description: string): JsonObject {
  return '$ref' in schema ? schema : { description, ...schema }
}
