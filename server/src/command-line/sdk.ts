/** The public SDK. `bin/fulfillment.js` resolves it to its sources, so that the command works in a checkout without a build. */
export { APIError, ConnectionError, FulfillmentClient, FulfillmentError } from '@fulfillment/sdk'
