const MAX_LENGTH = 4_000
const MAX_STRING_LENGTH = 200
const MAX_ITEMS = 10

/** A call's input as JSON, cut where it is long: of a bulk call the first items, of a text its beginning. */
export function inputText(input: unknown): string {
  const text = JSON.stringify(input, (_name, value: unknown) => shortened(value))
  return text.length <= MAX_LENGTH
    ? text
    : JSON.stringify(input, (name, value: unknown) => (name === '' ? value : outlineOf(value)))
}

function shortened(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_STRING_LENGTH) return `${value.slice(0, MAX_STRING_LENGTH).toWellFormed()}…`
  if (Array.isArray(value) && value.length > MAX_ITEMS)
    return [...value.slice(0, MAX_ITEMS), `… and ${value.length - MAX_ITEMS} more`]
  return value
}

function outlineOf(value: unknown): unknown {
  return Array.isArray(value) ? `${value.length} items` : shortened(value)
}
