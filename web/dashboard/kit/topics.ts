import type { WebhookTopic } from '@fulfillment/sdk'

// By its type a record has every topic that the SDK knows, and no other.
const KNOWN: Record<WebhookTopic, 'standard' | 'by name'> = {
  'order/created': 'standard',
  'order/updated': 'standard',
  'order/cancelled': 'standard',
  'order/completed': 'standard',
  'product/created': 'standard',
  'product/updated': 'standard',
  'product/deleted': 'standard',
  'stock/updated': 'standard',
  'stock/low_alert': 'standard',
  'stock/movement_created': 'standard',
  'flow/started': 'standard',
  'flow/completed': 'standard',
  'flow/cancelled': 'standard',
  'reservation/updated': 'by name',
  'inbound/updated': 'by name',
  'return/updated': 'by name',
  'count/updated': 'by name',
  'shipment/updated': 'by name',
}

/** All topics, as the documentation lists them. */
export const TOPICS = Object.keys(KNOWN) as WebhookTopic[]

/** Whether all standard topics include it. Others are asked for by name, also beside these. */
export const isStandard = (topic: WebhookTopic): boolean => KNOWN[topic] === 'standard'

/** A topic of the address. */
export const topicOf = (value: unknown): WebhookTopic | undefined => TOPICS.find((topic) => topic === value)
