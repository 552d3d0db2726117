import { setTimeout as sleep } from 'node:timers/promises'
import { Option, type Command } from 'commander'
import { printLine } from './progress.ts'
import { APIError, ConnectionError, FulfillmentClient, FulfillmentError } from './sdk.ts'
import { untilReachable } from './until-reachable.ts'

/** How to reach a server over HTTP. */
export interface ApiOptions {
  url: string
  apiKey?: string
}

const DEFAULT_URL = 'http://127.0.0.1:3000'
/** Retries of refused connections last a little over half a minute: long enough for a server to restart. */
const MAX_RETRIES = 7
const DEFAULT_WAIT_MS = 1_000

/** Adds `--url` and `--api-key` to a command. */
export function addApiOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'URL of the service').env('FULFILLMENT_URL').default(DEFAULT_URL))
    .addOption(
      new Option(
        '--api-key <key>',
        'API key; prefer the environment variable, because other users of the machine can see arguments',
      ).env('FULFILLMENT_API_KEY'),
    )
    .hook('preAction', (_, action) => {
      // Compose files and shells set a variable to an empty string for "not set". An empty argument stays an error.
      if (action.getOptionValueSource('url') === 'env' && action.getOptionValue('url') === '')
        action.setOptionValue('url', DEFAULT_URL)
    })
}

/** The API key. Throws an error that says how to set it. */
export function requiredKey({ apiKey }: Pick<ApiOptions, 'apiKey'>): string {
  if (apiKey !== undefined && apiKey !== '') return apiKey
  throw new Error('FULFILLMENT_API_KEY: is not set. Set it to an API key; `fulfillment keys create` creates one')
}

/** Throws an error that names the wrong option. `fetch` would show a key with a line break, or the password of a URL, in its errors. */
export function requireValid({ url, apiKey }: ApiOptions): void {
  newClient(url, requiredKey({ apiKey }), () => {})
}

/**
 * Waits until the server responds, and returns a client for it. When a later request fails, prints a line on standard error. Throws an
 * error that names the wrong option.
 */
export async function connectClient({ url, apiKey }: ApiOptions, signal: AbortSignal): Promise<FulfillmentClient> {
  const client = newClient(url, requiredKey({ apiKey }), (reason) =>
    printLine(`${reason}; trying each request up to ${MAX_RETRIES + 1} times`),
  )
  await untilReachable(url, signal)
  return client
}

function newClient(url: string, apiKey: string, onFirstFailure: (reason: string) => void): FulfillmentClient {
  const onRetry = ({ attempt, error }: { attempt: number; error: Error }): void => {
    const isLimit = error instanceof APIError && error.code === 'rate_limit_exceeded'
    if (attempt === 1 && !isLimit) onFirstFailure(error.message.replace(/ \(attempt 1\)$/, ''))
  }
  try {
    return new FulfillmentClient({ apiKey, baseUrl: url, maxRetries: MAX_RETRIES, hooks: { onRetry } })
  } catch (error) {
    const { message } = error as Error
    // The SDK names its own parameters.
    const reason = message.replace(/^(apiKey|baseUrl) /, '')
    throw new Error(`${message.startsWith('apiKey') ? 'FULFILLMENT_API_KEY' : '--url'}: ${reason}`, { cause: error })
  }
}

/**
 * Repeats a call while the rate limit rejects it, or while an earlier attempt of the same call is still running. The client alone gives up
 * after some attempts. Rejects with the signal's reason when the signal aborts.
 */
export async function patiently<T>(call: () => PromiseLike<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const waitMs = waitAfter(error)
      if (waitMs === undefined) throw failureOf(error)
      await sleep(waitMs, undefined, { signal })
    }
  }
}

function waitAfter(error: unknown): number | undefined {
  if (!(error instanceof APIError)) return undefined
  if (error.code === 'rate_limit_exceeded') return error.retryAfterMs ?? DEFAULT_WAIT_MS
  return error.code === 'idempotency_conflict' ? error.retryAfterMs : undefined
}

const KEY_ERRORS = new Set(['missing_api_key', 'invalid_api_key', 'expired_api_key', 'ip_not_allowed', 'insufficient_scope'])

/** Puts the name of the wrong option in front of the error's message. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof FulfillmentError)) return error
  if (error instanceof ConnectionError) return new Error(`--url: ${error.message}`, { cause: error })
  if (!(error instanceof APIError)) return error
  if (error.code === 'unexpected_response') return new Error(`--url: ${error.message}`, { cause: error })
  return KEY_ERRORS.has(error.code) ? new Error(`FULFILLMENT_API_KEY: ${error.message}`, { cause: error }) : error
}
