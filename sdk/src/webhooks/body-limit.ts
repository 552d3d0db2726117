/** Many times the largest event; above it a request is not the service's. */
export const MOST_BYTES = 1_048_576

/** What a receiver reports of a body above {@link MOST_BYTES}. */
export function bodyTooLarge(): Error {
  return new Error(`A body of more than ${MOST_BYTES} bytes`)
}
