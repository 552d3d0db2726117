import { z } from 'zod'
import { withoutZodNoise } from '../openapi/json-schema.ts'
import type { ToolText } from './tool-text.ts'

/** A JSON Schema of an object. */
export interface ObjectSchema {
  [keyword: string]: unknown
  type: 'object'
  properties?: Record<string, object>
}

/**
 * The JSON Schema of an endpoint's input or output, which refers to nothing outside of it. It names no dialect: validators of clients know
 * different ones, and its keywords mean the same in all of them.
 */
export function toolSchema(schema: z.ZodType, io: 'input' | 'output', textOf: ToolText): ObjectSchema {
  const override = ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
    const { override: documented, description } = jsonSchema
    // The document shows some fields in a type of their own, such as a boolean in a query.
    if (documented !== undefined) Object.assign(jsonSchema, documented, { override: undefined })
    if (description !== undefined) jsonSchema.description = textOf(description)
  }
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, override })
  return withoutZodNoise(JSON.parse(JSON.stringify(withoutReference(made)))) as ObjectSchema
}

/**
 * Clients require that a schema begins with `type: object`, but a named schema begins with a reference to itself. Its definition then stays
 * only if it contains itself.
 */
function withoutReference({ $ref, ...schema }: z.core.JSONSchema.BaseSchema): object {
  if ($ref === undefined) return schema
  const name = $ref.split('/').at(-1) as string
  const { [name]: root, ...others } = schema.$defs ?? {}
  const isRecursive = JSON.stringify([root, others]).includes(`"${$ref}"`)
  const $defs = { ...others, ...(isRecursive && { [name]: root }) }
  return { ...root, ...(Object.keys($defs).length > 0 && { $defs }) }
}
