import { receive, type ReceiverOptions } from './receive.ts'
import type { RawBody } from './verification.ts'

/** {@link ReceiverOptions}, and the path of the endpoint. */
export interface FastifyReceiverOptions extends ReceiverOptions {
  /** The endpoint's path, for example `/webhooks`. */
  path: string
}

/** The part of Fastify that the receiver uses, so that the package does not depend on a version of Fastify. */
interface FastifyLike {
  removeAllContentTypeParsers(): unknown
  addContentTypeParser(
    contentType: string,
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Buffer, done: (error: null, body: Buffer) => void) => void,
  ): unknown
  post(path: string, handler: (request: RequestLike, reply: ReplyLike) => Promise<unknown>): unknown
}

interface RequestLike {
  headers: Record<string, string | string[] | undefined>
  body?: unknown
}

interface ReplyLike {
  code(status: number): { send(text?: string): unknown }
}

/**
 * A Fastify plugin with one webhook endpoint. Bodies stay raw on this endpoint only; other routes keep their parsers.
 *
 * @example
 * await app.register(fastifyReceiver({ path: '/webhooks', secret, onEvent: (event) => console.log(event.event) }))
 */
export function fastifyReceiver(options: FastifyReceiverOptions): (app: FastifyLike) => Promise<void> {
  return async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    app.post(options.path, async (request, reply) => {
      const { status, text } = await receive(options, request.headers['x-webhook-signature'], () => request.body as RawBody)
      return reply.code(status).send(text)
    })
  }
}
