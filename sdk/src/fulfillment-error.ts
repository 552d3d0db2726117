/** Base class of all errors of this package. A call that you abort rejects with the reason of your `AbortSignal` instead. */
export class FulfillmentError extends Error {
  override name = 'FulfillmentError'
}
