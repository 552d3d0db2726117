// Subscribes to events, receives them on this machine, verifies them and prints them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookEvent } from '@fulfillment/sdk'
import { nodeReceiver } from '@fulfillment/sdk/webhooks/node'
import { client } from './client.ts'

let secret = ''
const handled = new Set<string>()
const expected = 2
const { promise: done, resolve: finish } = Promise.withResolvers<void>()

function handle(event: WebhookEvent): void {
  if (event.event === 'product/created') console.log(`product ${event.data.product_id}: ${event.data.name}`)
  if (event.event === 'stock/updated')
    console.log(`stock at ${event.data.location_id}: ${event.data.quantity} (${event.data.reason})`)
}

const receive = (): ReturnType<typeof nodeReceiver> =>
  nodeReceiver({
    secret,
    onEvent: async (event) => {
      // The same event may arrive more than once, with the same id.
      if (handled.has(event.id)) return
      handle(event)
      // Noted after the work: an event whose work fails is sent again, and must not count as handled.
      handled.add(event.id)
      if (handled.size === expected) finish()
    },
  })

const server = createServer((request, response) => void receive()(request, response))
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const { port } = server.address() as AddressInfo

// Ctrl-C and a time limit end the wait below instead of the process, so that the subscription is deleted.
process.on('SIGINT', () => finish())
setTimeout(finish, 30_000).unref()

const webhook = await client.webhooks.create({
  name: 'example receiver',
  url: `http://127.0.0.1:${port}/webhooks`,
  events: ['product/created', 'stock/updated'],
})
try {
  secret = webhook.secret

  const product = await client.products.create({ name: 'Rooibos 100 g', barcode: `example-${Date.now()}` })
  await client.stock.adjust({ product_id: product.id, location_id: 'A-02', adjustment_quantity: 10, reason: 'stock_receipt' })

  await done
  if (handled.size < expected) throw new Error(`Stopped after ${handled.size} of ${expected} events`)
} finally {
  await client.webhooks.delete(webhook.id)
  server.closeAllConnections()
  server.close()
}
