import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { loadOnce } from '../../runtime/load-once.ts'
import { entityTag } from './entity-tag.ts'

/**
 * Brotli with quality 5 compresses the 1.7 MB of the reference page to 405 kB in 0.4 s, off the main thread. Quality 11 would save another
 * 45 kB and take 18 s.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const ENCODERS: Record<string, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify(gzip)(body),
}

/** A constant response. It is compressed once per encoding, and a client that has it cached gets 304. */
export class CompressedResponse {
  readonly #body: Buffer
  readonly #headers: Record<string, string>
  readonly #encoded: ReadonlyMap<string, () => Promise<Buffer>>

  constructor(body: Buffer, type: string, cacheControl: string) {
    this.#body = body
    this.#encoded = new Map(Object.entries(ENCODERS).map(([encoding, encode]) => [encoding, loadOnce(() => encode(body))]))
    // Weak, because the tag is the same for all encodings.
    this.#headers = { 'content-type': type, 'cache-control': cacheControl, etag: `W/${entityTag(body)}` }
  }

  async send(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    reply.headers(this.#headers).header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
    if (hasTag(request.headers['if-none-match'], this.#headers.etag)) return reply.code(304).send()
    const encoding = negotiate(request.headers['accept-encoding'] ?? '', Object.keys(ENCODERS))
    const encoded = encoding === null ? undefined : this.#encoded.get(encoding)
    if (encoding === null || encoded === undefined) return reply.send(this.#body)
    const body = await encoded()
    return reply.header('content-encoding', encoding).send(body)
  }
}

const hasTag = (tags: string | undefined, tag: string | undefined): boolean =>
  tags?.split(',').some((given) => given.trim() === '*' || given.trim() === tag) ?? false
