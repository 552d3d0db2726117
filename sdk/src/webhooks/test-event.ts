import type { WebhookEventOf, WebhookTopic } from '../generated/events.ts'
import { randomHex } from '../random-hex.ts'
import { sampleData } from '../generated/sample-data.ts'

/** Fields of a topic's data; one that is undefined is as good as absent. */
export type EventFields<T extends WebhookTopic> = {
  [K in keyof WebhookEventOf<T>['data']]?: WebhookEventOf<T>['data'][K] | undefined
}

/**
 * An event as the service sends it, with the documentation's example data and an id of its own: for tests of your receiver.
 *
 * @param data fields that replace those of the example
 * @example
 * const event = testEvent('order/created', { order_tenant_id: 'SO-1001' })
 */
export function testEvent<T extends WebhookTopic>(topic: T, data: EventFields<T> = {}): WebhookEventOf<T> {
  const given = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined))
  const event = {
    id: `evt_test_${randomHex()}`,
    event: topic,
    created_at: new Date().toISOString(),
    // By way of JSON, which the data is: structuredClone is missing in jsdom and React Native.
    data: { ...JSON.parse(JSON.stringify(sampleData[topic])), ...given },
  }
  // TypeScript does not see that the data looked up by a topic is that topic's.
  return event as unknown as WebhookEventOf<T>
}
