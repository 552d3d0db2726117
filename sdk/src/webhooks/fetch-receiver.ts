import { receive, type ReceiverOptions } from './receive.ts'

/**
 * A webhook endpoint for everything that maps a `Request` to a `Response`: Workers, Deno, Bun, Next.js, Hono, SvelteKit.
 *
 * @example
 * export default { fetch: fetchReceiver({ secret, onEvent: (event) => queue.send(event) }) }
 */
export function fetchReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, text = null } = await receive(options, request.headers.get('X-Webhook-Signature'), () =>
      request.arrayBuffer(),
    )
    return new Response(text, { status })
  }
}
