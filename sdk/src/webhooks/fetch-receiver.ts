import { readBytes } from '../read-bytes.ts'
import { bodyTooLarge, MAX_BYTES } from './body-limit.ts'
import { receive, type ReceiverOptions } from './receive.ts'
import { WebhookVerificationError } from './webhook-verification-error.ts'

/**
 * A webhook endpoint for platforms that map a `Request` to a `Response`: Next.js, Deno, Bun, Workers. Hono has the request in `c.req.raw`,
 * SvelteKit in `event.request`.
 *
 * @example
 * export const POST = fetchReceiver({ secret: process.env.WEBHOOK_SECRET!, onEvent: (event) => queue.send(event) })
 */
export function fetchReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, text = null } = await receive(options, request.headers.get('X-Webhook-Signature'), () => readBody(request))
    return new Response(text, { status })
  }
}

// The body is read before its signature can be checked, so its size must be limited.
async function readBody({ body, bodyUsed }: Request): Promise<Uint8Array> {
  if (bodyUsed || body?.locked)
    throw new WebhookVerificationError(
      'body_not_raw',
      'The body was read already. Pass the request before that, or a clone of it.',
    )
  const bytes = body ? await readBytes(body, MAX_BYTES) : new Uint8Array()
  if (bytes === undefined) throw bodyTooLarge()
  return bytes
}
