import { FulfillmentClient } from '@fulfillment/sdk'

const { FULFILLMENT_URL = 'http://127.0.0.1:3000', FULFILLMENT_API_KEY } = process.env
if (FULFILLMENT_API_KEY === undefined) {
  console.error('Set FULFILLMENT_API_KEY to a key of your tenant; the first start of the server prints one.')
  process.exit(1)
}

/** The client that every example uses: `FULFILLMENT_URL` (default http://127.0.0.1:3000) and `FULFILLMENT_API_KEY`. */
export const client = new FulfillmentClient({ baseUrl: FULFILLMENT_URL, apiKey: FULFILLMENT_API_KEY })
