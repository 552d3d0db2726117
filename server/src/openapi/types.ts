/** Just enough of OpenAPI's shape to work on a generated document. */
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

/** A schema with a text of its own, unless it has one or refers to a component, which has: not every generator reads a text beside a `$ref`. */
export function described(schema: JsonObject, description: string): JsonObject {
  return '$ref' in schema ? schema : { description, ...schema }
}
