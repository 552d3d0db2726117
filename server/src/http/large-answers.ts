import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { LargeList } from '../context.ts'
import { ServiceError } from '../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by a procedure whose answer is too large for one piece. */
    largeList?: LargeList
  }
}

const MAX_WAITING = 10
const LONGEST_WAIT_MS = 10_000
const RETRY_AFTER_SECONDS = 5

/** Text around what a procedure returned. */
export interface Envelope {
  before: string
  after: string
}

/**
 * Sends large answers in pieces, each read when the reader has taken the one before: of one tenant one answer at a time. When a piece can't
 * be read, the connection is broken, so that nobody takes the answer for whole.
 */
export class LargeAnswers {
  /** Those that wait for their tenant's turn; a tenant without an answer under way is not in it. */
  readonly #waiting = new Map<number, (() => void)[]>()

  /** What is to be sent for `data`: itself, unless the procedure has made its list a large one. */
  async answerFor(
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
    await this.#takeTurn(tenantId)
    if (reply.raw.destroyed) {
      this.#endTurn(tenantId)
      throw refusal()
    }
    const texts = this.#texts(tenantId, data as object, list, envelope)
    // Whatever is wrong with the first piece can still be said.
    const first = await texts.next()
    reply.raw.once('close', () => void texts.return(undefined))
    if (reply.raw.destroyed) await texts.return(undefined)
    return Readable.from(beginningWith(first, texts))
  }

  async *#texts(
    tenantId: number,
    data: object,
    { field, pieces }: LargeList,
    { before, after }: Envelope,
  ): AsyncGenerator<string> {
    try {
      const others = Object.entries(data).filter(([name]) => name !== field)
      let start = `${before}{${JSON.stringify(field)}:[`
      for await (const items of pieces) {
        yield start + items.map((item) => JSON.stringify(item)).join(',')
        start = ','
      }
      const rest = others.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join('')
      yield `]${rest}}${after}`
    } finally {
      this.#endTurn(tenantId)
    }
  }

  async #takeTurn(tenantId: number): Promise<void> {
    const line = this.#waiting.get(tenantId)
    if (line === undefined) return void this.#waiting.set(tenantId, [])
    if (line.length >= MAX_WAITING) throw refusal()
    const { promise, resolve } = Promise.withResolvers<true>()
    const granted = (): void => resolve(true)
    line.push(granted)
    const ended = new AbortController()
    const hasTurn = await Promise.race([promise, delay(LONGEST_WAIT_MS, false, { signal: ended.signal }).catch(() => false)])
    ended.abort()
    if (hasTurn) return
    const at = line.indexOf(granted)
    // Granted at the last moment, it is passed on.
    if (at === -1) this.#endTurn(tenantId)
    else line.splice(at, 1)
    throw refusal()
  }

  #endTurn(tenantId: number): void {
    const next = this.#waiting.get(tenantId)?.shift()
    if (next === undefined) this.#waiting.delete(tenantId)
    else next()
  }
}

function beginningWith(first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncIterable<string> {
  let isFirst = true
  const next = async (): Promise<IteratorResult<string>> => {
    if (!isFirst) return await rest.next()
    isFirst = false
    return first
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: () => rest.return(undefined) }) }
}

function refusal(): ServiceError {
  return new ServiceError('service_unavailable', 'This tenant reads other large lists already, which are sent one at a time', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
}
