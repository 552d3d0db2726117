// Compiled against the packed types as ESM and as CJS, with skipLibCheck off.
import { APIError, type FulfillmentClient, type Order, type OrderSummary } from '@fulfillment/sdk'
import { verifyWebhook, type WebhookEvent } from '@fulfillment/sdk/webhooks'
import { nodeReceiver } from '@fulfillment/sdk/webhooks/node'
import { testEvent } from '@fulfillment/sdk/webhooks/testing'

export async function use(client: FulfillmentClient): Promise<Order | undefined> {
  const newest: OrderSummary[] = (await client.orders.list({ state_id: [1, 2] })).orders
  const event: WebhookEvent = await verifyWebhook('', null, 'whsec_x')
  if (event.event === 'order/created') return client.orders.get(event.data.order_id)
  testEvent('stock/updated', { quantity: newest.length })
  nodeReceiver({ secret: 'whsec_x', onEvent: ({ id }) => console.log(id) })
  return client.orders.get(1).catch((error: unknown) => {
    if (error instanceof APIError && error.code === 'not_found') return undefined
    throw error
  })
}
