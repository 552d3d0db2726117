import type { Agent, Dispatcher } from 'undici'
import type { WebhookTargetPolicy } from '../../context.ts'
import { publicAddressesOnly } from '../targets/public-lookup.ts'
import { targetProblem } from '../targets/target-rules.ts'

/** What came back: what has arrived of the answer, and an error when that is not the whole of it. */
export interface Answer {
  status: number | null
  /** The beginning of the answer's body. */
  body: string | null
  retryAfter: string | undefined
  error: string | null
}

/** Sends POST requests to receivers over connections that are kept open. Never throws. */
export interface Sender {
  post(url: string, headers: Record<string, string>, body: Buffer): Promise<Answer>
  /** Ends the requests that are under way, with an error in their answers, and closes the connections. */
  close(): Promise<void>
}

export interface SenderOptions {
  /** For the whole exchange, the answer's body included. */
  timeLimitMs?: number
  /** How the addresses of a host name are found, where only public ones are allowed. */
  resolve?: (hostname: string) => Promise<string[]>
}

const TIME_LIMIT_MS = 15_000
const CONNECT_TIME_LIMIT_MS = 10_000
const MAX_READ_BYTES = 16_384
const MAX_KEPT_BYTES = 1_024
const MAX_ERROR_LENGTH = 255

/** Makes a sender that reaches only what `policy` allows. */
export function createSender(policy: WebhookTargetPolicy, { timeLimitMs = TIME_LIMIT_MS, resolve }: SenderOptions = {}): Sender {
  let agent: Promise<Agent> | undefined
  // Loaded for the first request: it takes a tenth of a start.
  const openAgent = async (): Promise<Agent> => {
    const undici = await import('undici')
    return new undici.Agent({
      allowH2: false,
      connectTimeout: Math.min(timeLimitMs, CONNECT_TIME_LIMIT_MS),
      // The check is the connection's own name resolution: there is no second one between check and use, whose answer could differ.
      connect: policy.allowPrivateNetwork ? {} : { lookup: publicAddressesOnly(resolve) },
    })
  }

  const places = new Map<string, Place>()
  const placeOf = (url: string): Place => {
    const known = places.get(url)
    if (known !== undefined) return known
    if (places.size === MAX_PLACES) places.clear()
    const place = parsed(url, policy)
    places.set(url, place)
    return place
  }

  const post: Sender['post'] = async (url, headers, body) => {
    const { problem, origin, path } = placeOf(url)
    if (problem !== undefined) return failure(`The URL ${problem}`)
    agent ??= openAgent()
    const dispatcher = await agent
    return await new Promise((resolve) => {
      const exchange = new Exchange(timeLimitMs, resolve)
      try {
        dispatcher.dispatch({ origin, path, method: 'POST', headers, body }, exchange)
      } catch (error) {
        exchange.onResponseError(undefined, error as Error)
      }
    })
  }

  return { post, close: async () => await (await agent)?.destroy() }
}

/** A receiver's URL as requests need it, or what is wrong with it. */
interface Place {
  problem: string | undefined
  origin: string
  path: string
}

const MAX_PLACES = 1_000

function parsed(url: string, policy: WebhookTargetPolicy): Place {
  const problem = targetProblem(url, policy)
  if (problem !== undefined) return { problem, origin: '', path: '' }
  const { origin, pathname, search } = new URL(url)
  return { problem, origin, path: pathname + search }
}

/**
 * Makes an answer of what comes back, of whose body no more than a bounded part is read. It is a handler because undici's `request` makes a
 * stream and a signal for each answer.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #timer: NodeJS.Timeout
  readonly #resolve: (answer: Answer) => void
  readonly #chunks: Buffer[] = []
  #controller: Dispatcher.DispatchController | undefined
  #timeout: Error | undefined
  #size = 0
  #status: number | null = null
  #retryAfter: string | undefined

  constructor(timeLimitMs: number, resolve: (answer: Answer) => void) {
    this.#resolve = resolve
    this.#timer = setTimeout(() => {
      this.#timeout = new Error(`No complete answer within ${timeLimitMs / 1_000} s`)
      this.#controller?.abort(this.#timeout)
      this.#end(this.#timeout)
    }, timeLimitMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It waited for a connection until its time was over.
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
      error: error === undefined ? null : describe(error),
    })
  }
}

/** The answer when nothing was sent. */
export const failure = (error: string): Answer => ({ status: null, body: null, retryAfter: undefined, error })

/** The first characters of a body. */
function beginningOf(chunks: readonly Buffer[]): string {
  if (chunks.length === 0) return ''
  const kept = Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES)
  // As a stream, so that a character cut in two at the end is left out. Postgres stores no U+0000.
  return new TextDecoder().decode(kept, { stream: true }).replaceAll('\u0000', '\uFFFD')
}

const firstOf = (header: string | string[] | undefined): string | undefined => (Array.isArray(header) ? header[0] : header)

function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'The request failed'
  const { code } = error as NodeJS.ErrnoException
  const text = error.message === '' ? (code ?? error.name) : error.message
  return text.slice(0, MAX_ERROR_LENGTH).toWellFormed().replaceAll('\u0000', '\uFFFD')
}
