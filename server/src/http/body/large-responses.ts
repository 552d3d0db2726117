import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors/service-error.ts'
import type { LargeList } from '../../procedures/context.ts'
import { pauseAfter } from '../../runtime/event-loop/turns.ts'
import { within } from '../../runtime/within.ts'
import { streamOf } from './stream-of.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by an endpoint whose response is sent in pieces. */
    largeList?: LargeList
  }
}

const MAX_WAITING = 10
const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

/** The text before and after the data of a response. */
export interface Envelope {
  before: string
  after: string
}

/**
 * Sends large responses in pieces, one response of a tenant at a time. A piece is read from the database when the client has read the
 * previous one. If that fails, the connection is closed, so that a client cannot take the response for complete.
 * While several tenants are active, the server pauses between pieces.
 */
export class LargeResponses {
  /** Requests that wait until their tenant's large response is sent. A tenant without one in progress has no entry. */
  readonly #waiting = new Map<number, (() => void)[]>()

  /** The stream of a large response; undefined if the endpoint did not ask for one. */
  async responseFor(
    request: FastifyRequest,
    reply: FastifyReply,
    data: unknown,
    envelope: Envelope,
  ): Promise<Readable | undefined> {
    const list = request.largeList
    if (list === undefined) return undefined
    reply.type('application/json; charset=utf-8')
    if (request.method === 'HEAD') return Readable.from([])
    const { tenantId } = request.caller
    await this.#begin(tenantId)
    if (reply.raw.destroyed) {
      this.#end(tenantId)
      throw refusal()
    }
    return await streamOf(reply, this.#texts(tenantId, data as object, list, envelope))
  }

  /** Reads a large list for a response that is sent whole, when no other large response of the tenant is in progress. */
  async inTurn<T>(tenantId: number, read: () => Promise<T>): Promise<T> {
    await this.#begin(tenantId)
    try {
      return await read()
    } finally {
      this.#end(tenantId)
    }
  }

  async *#texts(
    tenantId: number,
    data: object,
    { field, pieces }: LargeList,
    { before, after }: Envelope,
  ): AsyncGenerator<string, void> {
    try {
      const others = Object.entries(data).filter(([name]) => name !== field)
      let start = `${before}{${JSON.stringify(field)}:[`
      let beganAtMs = performance.now()
      for await (const items of pieces) {
        const text = start + items.map((item) => JSON.stringify(item)).join(',')
        const tookMs = performance.now() - beganAtMs
        yield text
        start = ','
        await pauseAfter(tookMs)
        beganAtMs = performance.now()
      }
      const rest = others.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join('')
      yield `]${rest}}${after}`
    } finally {
      this.#end(tenantId)
    }
  }

  /** Waits until no other large response of the tenant is in progress. Throws `service_unavailable` when that takes too long. */
  async #begin(tenantId: number): Promise<void> {
    const line = this.#waiting.get(tenantId)
    if (line === undefined) return void this.#waiting.set(tenantId, [])
    if (line.length >= MAX_WAITING) throw refusal()
    const { promise, resolve } = Promise.withResolvers<true>()
    const begin = (): void => resolve(true)
    line.push(begin)
    const hasBegun = await within(LONGEST_WAIT_MS, promise, () => false)
    if (hasBegun) return
    const at = line.indexOf(begin)
    // It was let begin in the meantime: another one may instead.
    if (at === -1) this.#end(tenantId)
    else line.splice(at, 1)
    throw refusal()
  }

  /** Lets the tenant's next one begin. */
  #end(tenantId: number): void {
    const next = this.#waiting.get(tenantId)?.shift()
    if (next === undefined) this.#waiting.delete(tenantId)
    else next()
  }
}

function refusal(): ServiceError {
  return new ServiceError(
    'service_unavailable',
    'This tenant is already reading other large lists, which are sent one at a time',
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  )
}
