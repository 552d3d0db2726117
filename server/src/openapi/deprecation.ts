import type { Deprecation } from '../procedures/endpoint-facts.ts'
import type { JsonObject } from './types.ts'

/** The response headers of deprecated operations. */
export const DEPRECATION_HEADERS: Record<string, JsonObject> = {
  Deprecation: {
    description: 'Time from which the operation is deprecated: `@` and Unix seconds (RFC 9745).',
    schema: { type: 'string' },
  },
  Sunset: { description: 'Time from which the operation may be removed: an HTTP date (RFC 8594).', schema: { type: 'string' } },
  Link: { description: 'Page that names the replacement, with `rel="deprecation"`.', schema: { type: 'string' } },
}

/** The headers that a deprecated operation sends. */
export function deprecationHeaderNames({ sunset }: Deprecation): string[] {
  return Object.keys(DEPRECATION_HEADERS).filter((name) => name !== 'Sunset' || sunset !== undefined)
}

/** The machine-readable part; tools that compare documents read `x-sunset`. */
export function deprecationFields(deprecation: Deprecation | undefined): JsonObject {
  if (deprecation === undefined) return {}
  const { sunset, link } = deprecation
  return {
    deprecated: true,
    ...(sunset === undefined ? {} : { 'x-sunset': sunset }),
    externalDocs: { url: link, description: 'What to use instead' },
  }
}

/** The human-readable part, as paragraphs of a description. */
export function deprecationText(deprecation: Deprecation | undefined): string[] {
  if (deprecation === undefined) return []
  const { since, sunset, link } = deprecation
  const end = sunset === undefined ? '' : `; may be removed from ${sunset} on`
  return [`Deprecated since ${since}${end}: see ${link}.`]
}
