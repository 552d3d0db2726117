import type { WebhookEventOf, WebhookTopic } from '../generated/events.ts'
import { randomHex } from '../random-hex.ts'
import { sampleData } from '../generated/sample-data.ts'

/** Fields of a topic's data. Undefined fields are ignored. */
export type EventFields<T extends WebhookTopic> = {
  [K in keyof WebhookEventOf<T>['data']]?: WebhookEventOf<T>['data'][K] | undefined
}

/**
 * An event as the service sends it, with the documentation's example data and a new id, for tests of your receiver.
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
    // Cloned as JSON: jsdom and React Native have no structuredClone.
    data: { ...JSON.parse(JSON.stringify(sampleData[topic])), ...given },
  }
  // TypeScript cannot infer that the sample of a topic has the type of that topic.
  return event as unknown as WebhookEventOf<T>
}
