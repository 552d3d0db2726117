import type { z } from 'zod'

/** As much of a schema of Zod as says how callers write a field. */
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
  }
}

/** The fields of an endpoint's input as callers send them. */
export function inputShape(input: z.ZodType | undefined): Record<string, FieldSchema> {
  return input === undefined ? {} : (plainSchema(input).def.shape ?? {})
}

/** The schema of what a caller sends, without what makes it optional, prepares or transforms it. */
export function plainSchema(schema: FieldSchema): FieldSchema {
  const { type, innerType, in: before, out: after } = schema.def
  if (innerType !== undefined) return plainSchema(innerType)
  if (type !== 'pipe' || before === undefined || after === undefined) return schema
  return plainSchema(before.def.type === 'transform' ? after : before)
}
