import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { byShard } from '../shards/by-shard.ts'
import type { Shards } from '../shards/shards.ts'
import { recordUsage, type Usage } from '../domain/reports/index.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a request of this route calls; undefined when there is none of that name. */
    operationOf?: (request: FastifyRequest) => string | undefined
  }
}

const FLUSH_MS = 10_000
const LIMITED = 429

/**
 * Counts the requests with API keys in memory and adds them to the database every 10 seconds. A process that is killed
 * loses those since then, and a write that fails loses its own: adding them again could count them twice. A tenant's are written where it is by then.
 */
export class UsageCounter {
  readonly #shards: Pick<Shards, 'of'>
  readonly #onError: (error: unknown) => void
  readonly #flush: NodeJS.Timeout
  #counts = new Map<string, Usage>()

  constructor(shards: Pick<Shards, 'of'>, onError: (error: unknown) => void) {
    this.#shards = shards
    this.#onError = onError
    this.#flush = setInterval(() => void this.#record(), FLUSH_MS).unref()
  }

  /** Counts a request that was responded to. One without a valid key belongs to nobody, and one of a page is no use of the API. */
  count(request: FastifyRequest, operationOf: FastifyContextConfig['operationOf'], status: number): void {
    const caller = request.caller as FastifyRequest['caller'] | undefined
    const operation = operationOf?.(request)
    if (caller === undefined || caller.session !== undefined || operation === undefined) return
    const usage = this.#usageOf(caller.tenantId, caller.keyId, operation)
    usage.requests++
    if (status === LIMITED) usage.limited++
    else if (status >= 500) usage.serverErrors++
    else if (status >= 400) usage.clientErrors++
  }

  async close(): Promise<void> {
    clearInterval(this.#flush)
    await this.#record()
  }

  #usageOf(tenantId: number, keyId: number, operation: string): Usage {
    const name = `${tenantId}/${keyId}/${operation}`
    const known = this.#counts.get(name)
    if (known !== undefined) return known
    const usage = { tenantId, keyId, operation, requests: 0, clientErrors: 0, limited: 0, serverErrors: 0 }
    this.#counts.set(name, usage)
    return usage
  }

  async #record(): Promise<void> {
    if (this.#counts.size === 0) return
    const counts = this.#counts
    this.#counts = new Map()
    const ofShards = byShard(this.#shards, counts.values(), this.#onError)
    await Promise.all([...ofShards].map(([db, own]) => recordUsage(db, own).catch(this.#onError)))
  }
}
