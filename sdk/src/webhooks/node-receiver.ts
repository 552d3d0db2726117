import type { IncomingMessage, ServerResponse } from 'node:http'
import { readRawBody } from './read-raw-body.ts'
import { receive, type ReceiverOptions } from './receive.ts'

/**
 * A webhook endpoint for `node:http` and frameworks built on it: Express, Connect, Next.js API routes, Cloud Functions.
 * Mount it before `express.json()`, or behind `express.raw({ type: '*\/*' })`.
 *
 * @example
 * createServer(nodeReceiver({ secret, onEvent: (event) => console.log(event.event) })).listen(4000)
 * @example
 * app.post('/webhooks', expressReceiver({ secret, onEvent: (event) => console.log(event.event) }))
 */
export function nodeReceiver(options: ReceiverOptions): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const { status, text } = await receive(options, request.headers['x-webhook-signature'], () => readRawBody(request))
    // Sent meanwhile, such as by a middleware with a time limit: writing would throw, and nobody handles a rejection here.
    if (response.headersSent) return
    // A body above the limit is not read to its end. A proxy must not send the next webhook on a connection that ends with it.
    if (!request.complete) response.setHeader('Connection', 'close')
    response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text)
  }
}
