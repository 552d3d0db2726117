import type { Attempt } from '../../database/schema.ts'
import type { Delivery } from './schemas.ts'

/** A delivery as stored. */
export interface DeliveryRow {
  subscription_id: number
  event_id: string
  topic: string
  state: Delivery['state']
  next_attempt_at: string | null
  created_at: string
  completed_at: string | null
  attempts: Attempt[]
}

export const DELIVERY_COLUMNS = [
  'subscription_id',
  'event_id',
  'topic',
  'state',
  'next_attempt_at',
  'created_at',
  'completed_at',
  'attempts',
] as const

/** A delivery as the API shows it. */
export function deliveryOf(row: DeliveryRow): Delivery {
  const last = row.attempts.at(-1)
  return {
    id: deliveryId(row.subscription_id, row.event_id),
    event_id: row.event_id,
    event: row.topic,
    webhook_id: String(row.subscription_id),
    state: row.state,
    attempt_count: last?.number ?? 0,
    next_attempt_at: row.state === 'pending' ? row.next_attempt_at : null,
    last_status: last?.response_status ?? null,
    last_error: last?.error ?? null,
    created_at: row.created_at,
    completed_at: row.completed_at,
    attempts: row.attempts,
  }
}

/** There is one delivery per event and subscription, so their ids form the delivery's id. */
const deliveryId = (subscriptionId: number, eventId: string): string => `dlv_${subscriptionId}_${eventId}`

/** The two ids in a delivery's id, or undefined for any other text. */
export function partsOfDeliveryId(id: string): { webhookId: string; eventId: string } | undefined {
  const [, webhookId, eventId] = /^dlv_(\d+)_(evt_\w+)$/.exec(id) ?? []
  return webhookId === undefined || eventId === undefined ? undefined : { webhookId, eventId }
}
