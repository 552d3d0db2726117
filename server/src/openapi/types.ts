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
