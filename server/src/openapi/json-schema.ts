/**
 * The document without zod's redundant keywords: patterns of standard formats, bounds of safe integers, and closed objects, which would
 * make every new field a breaking change. Keywords that some client generators do not support are rewritten: a `const` as an `enum` with
 * one value, a slash in a pattern as `\x2F`.
 */
export function withoutZodNoise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZodNoise)
  if (typeof value !== 'object' || value === null) return value
  const object = value as Record<string, unknown>
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, entry]) => (isNoise(object, key, entry) ? [] : [plain(key, entry)])),
  )
}

function plain(key: string, entry: unknown): [string, unknown] {
  if (key === 'const') return ['enum', [entry]]
  if (key === 'pattern' && typeof entry === 'string') return [key, withoutSlashes(entry)]
  return [key, withoutZodNoise(entry)]
}

/** Generators write a pattern between slashes. Some escape the slashes inside it, some escape an escaped slash again, some escape none. */
function withoutSlashes(pattern: string): string {
  return pattern.replaceAll(/\\?[^]/g, (part) => (part === '/' || part === String.raw`\/` ? String.raw`\x2F` : part))
}

function isNoise(object: Record<string, unknown>, key: string, entry: unknown): boolean {
  if (key === 'additionalProperties') return entry === false
  if (key === 'pattern') return object.format === 'date' || object.format === 'date-time'
  if (key === 'maximum') return entry === Number.MAX_SAFE_INTEGER && object.minimum === Number.MIN_SAFE_INTEGER
  if (key === 'minimum') return entry === Number.MIN_SAFE_INTEGER
  return false
}
