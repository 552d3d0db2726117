import { type ClientOptions, FulfillmentClient } from '../../sdk/src/index.ts'

export const API_KEY = 'service_test_0123456789abcdefghijklmnopqrstuv'

/** A client with a key, for the server at `baseUrl`. */
export function clientFor(baseUrl: string, options: Partial<ClientOptions> = {}): FulfillmentClient {
  return new FulfillmentClient({ apiKey: API_KEY, baseUrl, ...options })
}

/** What a promise rejects with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('It did not reject')
}
