import { onTestFinished, vi } from 'vitest'
import { type ClientOptions, FulfillmentClient, type Hooks } from '@fulfillment/sdk'

export const API_KEY = 'service_test_0123456789abcdefghijklmnopqrstuv'

/** A client with a key, for the server at `baseUrl`. */
export function clientFor(baseUrl: string, options: Partial<ClientOptions> = {}): FulfillmentClient {
  return new FulfillmentClient({ apiKey: API_KEY, baseUrl, ...options })
}

/** The reason with which a promise rejects. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not reject')
}

/** Hooks that let the clock of the timers jump over each wait between two attempts. */
export function skipWaits(): Hooks {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return { onRetry: ({ delayMs }) => queueMicrotask(() => vi.advanceTimersByTime(delayMs)) }
}

/** The rejections without a handler until the end of the test. */
export function unhandledRejections(): unknown[] {
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listener)
  onTestFinished(() => void process.off('unhandledRejection', listener))
  return unhandled
}
