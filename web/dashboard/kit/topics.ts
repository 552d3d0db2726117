import type { WebhookTopic } from '@fulfillment/sdk'
import { t } from '../../shared/texts/texts.ts'

// By its type a record has every topic that the SDK knows, and no other.
const KNOWN: Record<WebhookTopic, true> = {
  'order/created': true,
  'order/updated': true,
  'order/cancelled': true,
  'order/completed': true,
  'product/created': true,
  'product/updated': true,
  'product/deleted': true,
  'stock/updated': true,
  'stock/low_alert': true,
  'stock/movement_created': true,
  'flow/started': true,
  'flow/completed': true,
  'flow/cancelled': true,
  'reservation/updated': true,
  'inbound/updated': true,
  'return/updated': true,
  'count/updated': true,
}

/** All topics, as the documentation lists them. */
export const TOPICS = Object.keys(KNOWN) as WebhookTopic[]

/** A topic of the address. */
export const topicOf = (value: unknown): WebhookTopic | undefined => TOPICS.find((topic) => topic === value)

/** The choices of a filter by topic. */
export const TOPIC_OPTIONS = [
  { value: 'all', label: t.webhooks.anyTopic },
  ...TOPICS.map((topic) => ({ value: topic as string, label: topic as string })),
]
