const MAX_JOINED = 10

/** Joins the first ten parts and adds the number of the rest, so that messages stay readable. */
export function joinFirst(parts: readonly string[], separator = '; '): string {
  const rest = parts.length - MAX_JOINED
  return parts.slice(0, MAX_JOINED).join(separator) + (rest > 0 ? `${separator}and ${rest} more` : '')
}
