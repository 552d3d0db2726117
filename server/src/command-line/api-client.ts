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
/** Half a minute and more in which a server may be restarted. */
const MAX_RETRIES = 7
const DEFAULT_WAIT_MS = 1_000

/** Adds `--url` and `--api-key` to a command. */
export function addApiOptions(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'where the service runs').env('FULFILLMENT_URL').default(DEFAULT_URL))
    .addOption(
      new Option(
        '--api-key <key>',
        'API key; keep it in the environment, as arguments can be seen by everybody on the machine',
      ).env('FULFILLMENT_API_KEY'),
    )
}

/**
 * The client that the options describe, once a server answers there. When it stops answering later on, a line on standard error says so.
 * Throws an error that names the option that is wrong.
 */
export async function connectClient({ url, apiKey }: ApiOptions, signal: AbortSignal): Promise<FulfillmentClient> {
  if (apiKey === undefined || apiKey === '')
    throw new Error('FULFILLMENT_API_KEY: is not set; set it to an API key, which `fulfillment keys create` makes')
  const client = newClient(url, apiKey, (reason) => printLine(`${reason}; trying again for half a minute`))
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
    throw new Error(message.startsWith('apiKey') ? `FULFILLMENT_API_KEY: ${message}` : `--url: ${message}`, { cause: error })
  }
}

/**
 * Calls until there is an answer: waits for as long as the rate limit takes, and for an earlier attempt of the same call that is still
 * being carried out. The client's own patience ends after some attempts. Rejects with the signal's reason when that aborts meanwhile.
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

/** The error with the option that it is about. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof FulfillmentError)) return error
  if (error instanceof ConnectionError) return new Error(`--url: ${error.message}`, { cause: error })
  if (!(error instanceof APIError)) return error
  if (error.code === 'unexpected_response') return new Error(`--url: ${error.message}`, { cause: error })
  return KEY_ERRORS.has(error.code) ? new Error(`FULFILLMENT_API_KEY: ${error.message}`, { cause: error }) : error
}
