/** Many times the size of the largest event: a larger request does not come from the service. */
export const MAX_BYTES = 1_048_576

/** The error for a body above {@link MAX_BYTES}. */
export function bodyTooLarge(): Error {
  return new Error(`A body of more than ${MAX_BYTES} bytes`)
}
