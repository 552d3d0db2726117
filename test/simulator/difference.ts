/** What an expected value says of a field that may have any value, or one that passes a test: whether it is right, or what is wrong with it. */
type Test = (actual: unknown) => boolean | string

/**
 * The first difference, or undefined. An expected object names the fields that must be equal; the actual one may have more. Arrays must be
 * equal in length. A function is a test of the actual value. A field that is expected to be undefined must be missing.
 */
export function difference(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (typeof expected === 'function') return wrong((expected as Test)(actual), actual, path)
  const unequal = `${path}: expected ${text(expected)}, got ${text(actual)}`
  if (typeof expected !== 'object' || expected === null) return Object.is(expected, actual) ? undefined : unequal
  if (typeof actual !== 'object' || actual === null) return unequal
  if (Array.isArray(expected) && !Array.isArray(actual)) return unequal
  const within = path === '' ? '' : `${path}.`
  for (const [name, value] of Object.entries(expected)) {
    if (Array.isArray(expected) && !(name in actual)) return `${within}${name}: expected ${text(value)}, got nothing`
    const found = difference(value, (actual as Record<string, unknown>)[name], `${within}${name}`)
    if (found !== undefined) return found
  }
  const surplus = Array.isArray(expected) ? (actual as unknown[])[expected.length] : undefined
  return surplus === undefined ? undefined : `${within}${(expected as unknown[]).length}: expected nothing, got ${text(surplus)}`
}

function wrong(said: boolean | string, actual: unknown, path: string): string | undefined {
  if (said === true) return undefined
  return said === false ? `${path} is ${text(actual)}` : `${path}: ${said}`
}

const MAX_TEXT = 1_500
const text = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, MAX_TEXT)
