import type { WebhookEventOf, WebhookTopic } from '../generated/events.ts'
import { sampleData } from '../generated/sample-data.ts'

/**
 * An event as the service sends it, with the documentation's example data and an id of its own: for tests of your receiver.
 *
 * @param data fields that replace those of the example
 * @example
 * const event = testEvent('order/created', { order_tenant_id: 'SO-1001' })
 */
export function testEvent<T extends WebhookTopic>(topic: T, data: Partial<WebhookEventOf<T>['data']> = {}): WebhookEventOf<T> {
  const event = {
    id: `evt_test_${crypto.randomUUID()}`,
    event: topic,
    created_at: new Date().toISOString(),
    data: { ...structuredClone(sampleData[topic]), ...data },
  }
  // TypeScript does not see that the data looked up by a topic is that topic's.
  return event as unknown as WebhookEventOf<T>
}
