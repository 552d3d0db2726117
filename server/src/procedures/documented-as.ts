import { z } from 'zod'

const KEYWORDS = ['type', 'properties', 'required'] as const

/**
 * An item that the endpoint checks itself, documented as this object. Its JSON Schema is made with the document, because few processes ever
 * need it.
 */
export function documentedAs(item: z.ZodType): z.ZodUnknown {
  let made: z.core.JSONSchema.BaseSchema | undefined
  const jsonSchema = (): z.core.JSONSchema.BaseSchema => (made ??= z.toJSONSchema(item, { io: 'input' }))
  const keywords = KEYWORDS.map((name) => [name, { enumerable: true, get: () => jsonSchema()[name] }])
  return z.unknown().meta(Object.defineProperties({}, Object.fromEntries(keywords)))
}
