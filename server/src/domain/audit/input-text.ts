const MAX_LENGTH = 4_000
const MAX_STRING_LENGTH = 200
/** The audit log keeps so many items of a list, the first ones. */
export const KEPT_ITEMS = 10
/** More than any operation has. Items of bulk calls are stored as received, including unknown fields. */
const MAX_FIELDS = 40
const MAX_DEPTH = 5

/**
 * A call's input as JSON, truncated: the first items of a bulk call, the beginning of a long text. Reads only the stored part. When that is still
 * too long, the text is an outline without the items of lists.
 */
export function inputText(input: unknown): string {
  const text = JSON.stringify(shortened(input, 0))
  return text.length <= MAX_LENGTH ? text : JSON.stringify(outlineOf(input))
}

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === 'string' && value.length > MAX_STRING_LENGTH) return `${value.slice(0, MAX_STRING_LENGTH).toWellFormed()}…`
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) {
    const first = value.slice(0, KEPT_ITEMS).map((item) => shortened(item, depth + 1))
    return value.length > KEPT_ITEMS ? [...first, `… and ${value.length - KEPT_ITEMS} more`] : first
  }
  return fieldsOf(value, (field) => shortened(field, depth + 1))
}

/** The fields, with lists replaced by their length. */
function outlineOf(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return shortened(input, MAX_DEPTH - 1)
  return fieldsOf(input, (field) => (Array.isArray(field) ? `${field.length} items` : shortened(field, MAX_DEPTH - 1)))
}

function fieldsOf(value: object, change: (field: unknown) => unknown): Record<string, unknown> {
  const names = Object.keys(value)
  const kept = names
    .slice(0, MAX_FIELDS)
    .map((name) => [name.slice(0, MAX_STRING_LENGTH), change((value as Record<string, unknown>)[name])])
  const more = names.length > MAX_FIELDS ? [['…', `and ${names.length - MAX_FIELDS} more`]] : []
  return Object.fromEntries([...kept, ...more]) as Record<string, unknown>
}
