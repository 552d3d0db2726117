import type { Agent, Dispatcher } from 'undici'
import type { WebhookTargetPolicy } from '../../context.ts'
import { publicAddressesOnly } from '../targets/public-lookup.ts'
import { targetProblem } from '../targets/target-rules.ts'

/** What came back: a status when the receiver answered, an error when the answer did not arrive, or not as a whole. */
export interface Answer {
  status: number | null
  /** The beginning of the answer's body. */
  body: string | null
  retryAfter: string | undefined
  error: string | null
}

/** Sends POST requests to receivers over connections that are kept open. Never throws. */
export interface Sender {
  post(url: string, headers: Record<string, string>, body: string): Promise<Answer>
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

  const post: Sender['post'] = async (url, headers, body) => {
    const problem = targetProblem(url, policy)
    if (problem !== undefined) return failure(`The URL ${problem}`)
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(new Error(`No complete answer within ${timeLimitMs / 1000} s`)), timeLimitMs)
    let status: number | null = null
    try {
      const { origin, pathname, search } = new URL(url)
      agent ??= openAgent()
      const response = await (
        await agent
      ).request({
        origin,
        path: pathname + search,
        method: 'POST',
        headers,
        body,
        signal: controller.signal,
      })
      status = response.statusCode
      return { status, body: await beginningOf(response.body), retryAfter: firstOf(response.headers['retry-after']), error: null }
    } catch (error) {
      return failure(describe(error), status)
    } finally {
      clearTimeout(timer)
    }
  }

  return { post, close: async () => await (await agent)?.destroy() }
}

/** The answer when none arrived as a whole. */
export const failure = (error: string, status: number | null = null): Answer => ({
  status,
  body: null,
  retryAfter: undefined,
  error,
})

/** The first characters of a body, of which no more than a bounded part is read. */
async function beginningOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (size < MAX_KEPT_BYTES) chunks.push(chunk)
    size += chunk.length
    // Leaving the loop closes the connection: an endless body ends here.
    if (size >= MAX_READ_BYTES) break
  }
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
