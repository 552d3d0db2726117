/** Bodies of the API have at most 5 levels and arrays of 1,000 items. The limits are higher to allow for unknown fields, which are ignored. */
export const MAX_DEPTH = 64
export const MAX_ITEMS = 10_000
/** The smallest useful object, `{"barcode":"1","quantity":1}`, has 28 bytes. A parsed object takes at least 60, even if it is empty. */
export const mostContainers = (bytes: number): number => Math.max(100_000, Math.floor(bytes / 16))
export const TOO_MANY_CONTAINERS = 'has too many objects and arrays for its size'
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`
export const TOO_MANY_ITEMS = `has an array or object of more than ${MAX_ITEMS} items`

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** `[` and `{` differ only in this bit, and so do `]` and `}`. */
const CURLY = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * The exceeded limit of a JSON text, or undefined. Found in one pass before parsing: validating a million invalid items would block the
 * event loop for a minute.
 */
export function jsonLimitExceeded(json: Uint8Array): string | undefined {
  let items = 0
  const outer: number[] = []
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] as number
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === COMMA && items++ >= MAX_ITEMS) return TOO_MANY_ITEMS
    else if ((byte | CURLY) === OPEN) {
      if (outer.push(items) > MAX_DEPTH) return TOO_DEEP
      items = 1
    } else if ((byte | CURLY) === CLOSE) items = outer.pop() ?? 0
  }
  return undefined
}

/** The position of the closing quote. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}
