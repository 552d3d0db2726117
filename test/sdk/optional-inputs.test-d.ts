// Checked by tsc with exactOptionalPropertyTypes, not run: undefined may be given for whatever is optional.
import { expectTypeOf } from 'vitest'
import { type ClientOptions, FulfillmentClient, type RequestOptions, type WriteOptions } from '@fulfillment/sdk'
import { fetchReceiver, verifyWebhook } from '@fulfillment/sdk/webhooks'
import { testEvent } from '@fulfillment/sdk/webhooks/testing'

declare const client: FulfillmentClient

export async function undefinedForWhatIsNotGiven(cursor: string | undefined, limit: number | undefined): Promise<void> {
  await client.events.list({ cursor, limit })
  await client.orders.list({ state_id: undefined, page: limit, customer_name: cursor })
  const states = [1, 2] as const
  await client.orders.list({ state_id: states })
  const line = { barcode: '1', quantity: 1, price: limit, sku: cursor }
  await client.orders.create({ order_tenant_id: '1', assembly_date: '2026-01-31', customer_name: cursor, order_detail: [line] })
  await client.orders.cancel(
    1,
    { reason: cursor },
    { idempotencyKey: cursor, signal: undefined, headers: { traceparent: cursor } },
  )
  await client.orders.update(1, { customer_name: cursor }, { idempotencyKey: cursor })
  await client.products.delete(1, { idempotencyKey: cursor })
  await client.orders.get(1, { timeoutMs: limit, maxRetries: limit, maxResponseBytes: limit })
  void new FulfillmentClient({
    apiKey: '',
    baseUrl: '',
    timeoutMs: limit,
    maxRetries: limit,
    fetch: undefined,
    hooks: { onRequest: undefined },
  })
  await verifyWebhook('', cursor, '', { toleranceSeconds: limit, now: undefined })
  fetchReceiver({ secret: '', onEvent: () => {}, onError: undefined, toleranceSeconds: limit })
  testEvent('order/created', { order_tenant_id: cursor })
  // @ts-expect-error what is required cannot be undefined
  await client.products.create({ name: cursor, barcode: '1' })
}

/** The names of the optional fields, at any depth, that do not take undefined. */
type RefusingUndefined<T> = T extends readonly (infer Item)[]
  ? RefusingUndefined<Item>
  : T extends object
    ? {
        [K in keyof T]-?:
          | ({} extends Pick<T, K> ? ({ [P in K]: undefined } extends Pick<T, K> ? never : K) : never)
          | RefusingUndefined<NonNullable<T[K]>>
      }[keyof T]
    : never

/** All that a method takes but functions, whose parameters are no fields. */
type Inputs<Resource> = {
  [K in keyof Resource]: Resource[K] extends (...args: infer Given) => unknown
    ? Exclude<NonNullable<Given[number]>, RequestOptions>
    : never
}[keyof Resource]

export function allInputs(): void {
  expectTypeOf<RefusingUndefined<{ a?: string; b: { c?: number }[] }>>().toEqualTypeOf<'a' | 'c'>()
  expectTypeOf<RefusingUndefined<Inputs<FulfillmentClient[keyof FulfillmentClient]>>>().toBeNever()
  expectTypeOf<RefusingUndefined<Omit<WriteOptions, 'headers' | 'signal'> & Omit<ClientOptions, 'fetch'>>>().toBeNever()
}
