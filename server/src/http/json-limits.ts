/** No body of the API is deeper than 5 levels or has an array of more than 1,000 items; the rest is for fields that it ignores. */
export const MAX_DEPTH = 64
export const MAX_ITEMS = 10_000
export const TOO_DEEP = `is nested deeper than ${MAX_DEPTH} levels`
export const TOO_MANY_ITEMS = `has an array or object of more than ${MAX_ITEMS} items`

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** Of `[` and `{`, and of `]` and `}`: each pair differs in this one bit. */
const CURLY = 0x20
const OPEN = 0x7b
const CLOSE = 0x7d

/**
 * What is too much in a JSON text, or undefined. Found in one pass before the text is parsed: to describe all mistakes of a million items
 * takes the schemas a minute, during which nobody else is served.
 */
export function excessOf(json: Uint8Array): string | undefined {
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

/** The place of the closing quote. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}
