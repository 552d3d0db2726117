/** What an expected value says of a field that may have any value, or one that passes a test. */
type Test = (actual: unknown) => boolean

/**
 * The first difference, or undefined. An expected object names the fields that must be equal; the actual one may have more. Arrays must be
 * equal in length. A function is a test of the actual value. A field that is expected to be undefined must be missing.
 */
export function difference(expected: unknown, actual: unknown, path = ''): string | undefined {
  if (typeof expected === 'function') return (expected as Test)(actual) ? undefined : `${path} is ${text(actual)}`
  if (typeof expected !== 'object' || expected === null)
    return Object.is(expected, actual) ? undefined : `${path}: expected ${text(expected)}, got ${text(actual)}`
  if (typeof actual !== 'object' || actual === null) return `${path}: expected ${text(expected)}, got ${text(actual)}`
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${path}: expected an array, got ${text(actual)}`
    if (expected.length !== actual.length)
      return `${path}: expected ${expected.length} items, got ${actual.length}: expected ${text(expected)}, got ${text(actual)}`
  }
  for (const [name, value] of Object.entries(expected)) {
    const found = difference(value, (actual as Record<string, unknown>)[name], `${path}${path === '' ? '' : '.'}${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

const MAX_TEXT = 1_500
const text = (value: unknown): string => (JSON.stringify(value) ?? 'undefined').slice(0, MAX_TEXT)
