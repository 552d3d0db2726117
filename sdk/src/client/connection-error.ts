import { FulfillmentError } from '../fulfillment-error.ts'

/** No answer arrived: DNS, TLS, a refused or broken connection. `cause` holds the runtime's own error. */
export class ConnectionError extends FulfillmentError {
  override name = 'ConnectionError'
}

/** An attempt took longer than `timeoutMs`. The server may have carried out the request all the same. */
export class TimeoutError extends ConnectionError {
  override name = 'TimeoutError'
}
