import { LRUCache } from 'lru-cache'
import type { Agent, Dispatcher } from 'undici'
import { loadOnce } from '../runtime/load-once.ts'
import { failureText } from './failure-text.ts'
import type { WebhookTargetPolicy } from './targets/policy.ts'
import { targetProblem } from './targets/target-rules.ts'

/** A request that was sent: its response as far as it arrived, and the error of an incomplete response. */
export interface SentRequest {
  status: number | null
  /** The beginning of the response body. */
  body: string | null
  retryAfter: string | undefined
  error: string | null
}

/** Sends POST requests to receivers over keep-alive connections. Never throws. */
export interface Sender {
  post(url: string, headers: Record<string, string>, body: Buffer, tenantId: number): Promise<SentRequest>
  /** Aborts the requests in flight, which then end with an error, and closes the connections. */
  close(): Promise<void>
}

export interface SenderOptions {
  /** For the whole exchange, including the response body. */
  timeLimitMs?: number
}

const TIME_LIMIT_MS = 15_000
const CONNECT_TIME_LIMIT_MS = 10_000
const MAX_READ_BYTES = 16_384
const MAX_KEPT_BYTES = 1_024
const MAX_ERROR_LENGTH = 255

/** An agent unused for this long has nothing in flight. */
const AGENT_IDLE_MS = 60_000

/** A tenant's own connections, so that its name lookups hold up no other tenant. */
class Agents {
  readonly #load = loadOnce(() => import('./open-agent.ts'))
  readonly #policy: WebhookTargetPolicy
  readonly #connectTimeoutMs: number
  readonly #agents = new Map<number, { agent: Agent; usedAt: number }>()

  constructor(policy: WebhookTargetPolicy, connectTimeoutMs: number) {
    this.#policy = policy
    this.#connectTimeoutMs = connectTimeoutMs
  }

  /** Rejects if the HTTP client cannot be loaded. */
  async of(tenantId: number): Promise<Agent> {
    const { openAgent } = await this.#load()
    const known = this.#agents.get(tenantId)
    const now = performance.now()
    if (known !== undefined) {
      known.usedAt = now
      return known.agent
    }
    for (const [idleTenant, { agent, usedAt }] of this.#agents) {
      if (now - usedAt < AGENT_IDLE_MS) continue
      this.#agents.delete(idleTenant)
      void agent.close()
    }
    const agent = openAgent(tenantId, this.#policy, this.#connectTimeoutMs)
    this.#agents.set(tenantId, { agent, usedAt: now })
    return agent
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#agents.values()].map(({ agent }) => agent.destroy()))
  }
}

/** Makes a sender that connects only to addresses that `policy` allows. */
export function createSender(policy: WebhookTargetPolicy, { timeLimitMs = TIME_LIMIT_MS }: SenderOptions = {}): Sender {
  const agents = new Agents(policy, Math.min(timeLimitMs, CONNECT_TIME_LIMIT_MS))
  const receivers = new LRUCache<string, Receiver>({ max: MAX_RECEIVERS })
  const receiverOf = (url: string): Receiver => {
    const known = receivers.get(url)
    if (known !== undefined) return known
    const receiver = parsed(url, policy)
    receivers.set(url, receiver)
    return receiver
  }

  const post: Sender['post'] = async (url, headers, body, tenantId) => {
    const { problem, origin, path } = receiverOf(url)
    if (problem !== undefined) return failure(`The URL ${problem}`)
    let dispatcher: Agent
    try {
      dispatcher = await agents.of(tenantId)
    } catch (error) {
      return failure(storable(failureText(error as Error)))
    }
    return await new Promise((resolve) => {
      const exchange = new Exchange(timeLimitMs, resolve)
      try {
        dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, exchange)
      } catch (error) {
        exchange.onResponseError(undefined, error as Error)
      }
    })
  }

  return { post, close: () => agents.destroy() }
}

/** A receiver's URL in the parts that requests need, or why it is not allowed. */
interface Receiver {
  problem: string | undefined
  origin: string
  path: string
}

const MAX_RECEIVERS = 1_000

function parsed(url: string, policy: WebhookTargetPolicy): Receiver {
  const problem = targetProblem(url, policy)
  if (problem !== undefined) return { problem, origin: '', path: '' }
  const { origin, pathname, search } = new URL(url)
  return { problem, origin, path: pathname + search }
}

/**
 * Reads the response, and a bounded part of its body. A handler, because undici's `request` makes a stream and a signal for each
 * response.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #timer: NodeJS.Timeout
  readonly #resolve: (sent: SentRequest) => void
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #timeout: Error | undefined
  #size = 0
  #status: number | null = null
  #retryAfter: string | undefined

  constructor(timeLimitMs: number, resolve: (sent: SentRequest) => void) {
    this.#resolve = resolve
    this.#timer = setTimeout(() => {
      this.#timeout = new Error(`No complete response within ${timeLimitMs / 1_000} s`)
      this.#controller?.abort(this.#timeout)
      this.#end(this.#timeout)
    }, timeLimitMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // No connection was free within the time limit.
    if (this.#timeout !== undefined) controller.abort(this.#timeout)
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status
    this.#retryAfter = firstOf(headers['retry-after'])
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#size < MAX_KEPT_BYTES) this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < MAX_READ_BYTES) return
    this.#end()
    // Closes the connection: an endless body ends here.
    controller.abort(new Error('The rest of the body is not read'))
  }

  onResponseEnd(): void {
    this.#end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end(error)
  }

  /** The first end counts. */
  #end(error?: Error): void {
    clearTimeout(this.#timer)
    const body = this.#status === null ? null : beginningOf(this.#chunks)
    this.#resolve({
      status: this.#status,
      body,
      retryAfter: this.#retryAfter,
      error: error === undefined ? null : storable(failureText(error)),
    })
  }
}

/** The result when nothing was sent. */
export const failure = (error: string): SentRequest => ({ status: null, body: null, retryAfter: undefined, error })

/** The first characters of a body. */
function beginningOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return ''
  const kept = Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES)
  // As a stream, so that a character cut in two at the end is left out. Postgres stores no U+0000.
  return new TextDecoder().decode(kept, { stream: true }).replaceAll('\u0000', '\uFFFD')
}

/** Postgres rejects U+0000 and lone surrogates, and one such text would fail the whole batch of results. */
const storable = (text: string): string => text.slice(0, MAX_ERROR_LENGTH).toWellFormed().replaceAll('\u0000', '\uFFFD')

const firstOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header)
