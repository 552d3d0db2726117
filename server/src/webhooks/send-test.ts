import { randomBytes } from 'node:crypto'
import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { EVENT_SAMPLES, type Topic } from '../events/index.ts'
import { attemptDelivery } from './delivery/attempt-delivery.ts'
import { DatabaseClock } from './delivery/database-clock.ts'
import { createSender } from './delivery/sender.ts'
import { OLDER_SECRETS, targetOf, type StoredTarget } from './delivery/target.ts'
import { deliveryOf, type DeliveryRow } from './delivery-row.ts'
import type { Delivery } from './schemas.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

const findTarget = statement<[tenantId: number, id: number], StoredTarget & { events: string[]; now: string }>(
  'find_webhook_target',
  `select s.url, s.events, s.secret_ciphertext, s.previous_secret_ciphertext, s.previous_secret_expires_at, ${OLDER_SECRETS} as older_secrets,
     clock_timestamp() as now
   from webhook_subscriptions s where s.tenant_id = $1 and s.id = $2`,
)

// The id of a test event is behind all others, so that it is never in the feed.
const recordTest = statement<
  [tenantId: number, id: number, eventId: string, topic: string, body: string, createdAt: Date, state: string, attempts: string],
  DeliveryRow
>(
  'record_test',
  `with event as (
     insert into events (tenant_id, id, topic, body, created_at) values ($1, $3, $4, $5, $6)
   )
   insert into finished_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at, attempts)
   values ($1, $2, $3, $6, $4, $7, $6, now(), $8::jsonb)
   returning subscription_id, event_id, topic, state, null as next_attempt_at, created_at, completed_at, attempts`,
)

/** Sends a sample event once to one subscription, active or not, and returns what became of it. Throws `not_found`. */
export async function sendTest(
  context: RequestContext,
  input: { id: string; event?: Topic | null | undefined },
): Promise<Delivery> {
  const { db, caller, encryption, webhookTargets } = context
  const subscriptionId = subscriptionIdOf(input.id)
  const stored = await db.runOne(findTarget, [caller.tenantId, subscriptionId])
  if (stored === undefined) throw webhookNotFound()
  const topic = input.event ?? firstTopicOf(stored)
  const clock = new DatabaseClock()
  clock.set(stored.now)
  const createdAt = clock.now()
  const event_id = `evt_test_${randomBytes(12).toString('hex')}`
  const body = JSON.stringify({ id: event_id, event: topic, created_at: createdAt, data: EVENT_SAMPLES[topic] })

  const sender = createSender(webhookTargets)
  try {
    const message = { event_id, topic, body, attempt_number: 1, trigger: 'test' as const }
    const target = targetOf(stored, encryption, createdAt)
    const { attempt, acknowledged } = await attemptDelivery(message, target, sender, clock, caller.tenantId)
    const state = acknowledged ? 'succeeded' : 'failed'
    const row = await db.runOne(recordTest, [
      caller.tenantId,
      subscriptionId,
      event_id,
      topic,
      body,
      createdAt,
      state,
      JSON.stringify([attempt]),
    ])
    return deliveryOf(row as DeliveryRow)
  } finally {
    await sender.close()
  }
}

function firstTopicOf({ events }: { events: string[] }): Topic {
  const [first] = events
  return first === undefined || first === '*' ? 'order/created' : (first as Topic)
}
