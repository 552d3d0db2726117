/** The public SDK, from its sources: the command works in a checkout in which nothing has been built. */
export { APIError, ConnectionError, FulfillmentClient, FulfillmentError } from '../../../sdk/src/index.ts'
