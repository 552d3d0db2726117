import type { z } from 'zod'

/** The part of a Zod schema that determines the notation of a field. */
export interface FieldSchema {
  def: {
    type: string
    shape?: Record<string, FieldSchema>
    in?: FieldSchema
    out?: FieldSchema
    innerType?: FieldSchema
    defaultValue?: unknown
    element?: FieldSchema
    entries?: Record<string, string>
    values?: unknown[]
    /** The schema of a `z.lazy`. */
    getter?: () => FieldSchema
  }
}

/** The fields of an endpoint's input as callers send them. */
export function inputShape(input: z.ZodType | undefined): Record<string, FieldSchema> {
  return input === undefined ? {} : (plainSchema(input).def.shape ?? {})
}

/** The schema of the value that callers send, without wrappers for optional fields, preprocessing and transforms. */
export function plainSchema(schema: FieldSchema): FieldSchema {
  const { type, innerType, getter, in: before, out: after } = schema.def
  if (innerType !== undefined) return plainSchema(innerType)
  if (getter !== undefined) return plainSchema(getter())
  if (type !== 'pipe' || before === undefined || after === undefined) return schema
  return plainSchema(before.def.type === 'transform' ? after : before)
}
