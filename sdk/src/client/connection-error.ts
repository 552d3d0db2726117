import { FulfillmentError } from '../fulfillment-error.ts'

/** No response arrived: DNS, TLS, a refused or broken connection. `cause` is the runtime's error. */
export class ConnectionError extends FulfillmentError {
  override name = 'ConnectionError'
}

/** An attempt took longer than `timeoutMs`. The server may still have executed the request. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}
