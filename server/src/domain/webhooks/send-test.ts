import { randomBytes } from 'node:crypto'
import { statement } from '../../database/statements/statement.ts'
import {
  attemptDelivery,
  createSender,
  DatabaseClock,
  type StoredTarget,
  TARGET_COLUMNS,
  targetOf,
  TEST_EVENT_PREFIX,
} from '../../delivery/index.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { topicNamed } from '../../procedures/event-topics.ts'
import { deliveryOf, type DeliveryRow } from './delivery-row.ts'
import { delivery, sendTestInput } from './schemas.ts'
import { TestSlots } from './test-slots.ts'
import { subscriptionIdOf, webhookNotFound } from './webhook-id.ts'

const slots = new TestSlots()

const findTarget = statement<[tenantId: number, id: number], StoredTarget & { events: string[]; now: string }>({
  name: 'find_webhook_target',
  connection: 'read',
  sql: `select s.events, clock_timestamp() as now, ${TARGET_COLUMNS}
   from webhook_subscriptions s where s.tenant_id = $1 and s.id = $2`,
})

// The id of a test event sorts after all others, so the feed never includes it.
const recordTest = statement<
  [tenantId: number, id: number, eventId: string, topic: string, body: string, createdAt: Date, state: string, attempts: string],
  DeliveryRow
>({
  name: 'record_test',
  connection: 'write',
  sql: `with event as (
     insert into events (tenant_id, id, topic, body, created_at) values ($1, $3, $4, $5, $6)
   )
   insert into finished_deliveries (tenant_id, subscription_id, event_id, event_created_at, topic, state, created_at, completed_at, attempts)
   values ($1, $2, $3, $6, $4, $7, $6, now(), $8::jsonb)
   returning subscription_id, event_id, topic, state, null as next_attempt_at, created_at, completed_at, attempts`,
})

/**
 * Sends a sample event once to one subscription, active or not, and returns the delivery. Throws `not_found`, and `service_unavailable` while
 * too many test calls are in flight.
 */
export const sendTest = endpoint({
  name: 'webhooks.test',
  scope: 'write:webhooks',
  method: 'POST',
  path: '/webhooks/{id}/test',
  summary: 'Send a test event',
  description:
    'Sends a sample event of the topic once, to this subscription only, and returns the delivery. The event id starts with `evt_test_`; the event feed does not include the event. Each server process runs at most 10 test calls for a subscription and 50 for a tenant at the same time; further calls get 503.',
  isAddition: true,
  outsideTransaction: true,
  input: sendTestInput,
  output: delivery,
  run: async (context, input) => {
    const { db, caller, encryption, webhookTargets } = context
    const subscriptionId = subscriptionIdOf(input.id)
    const stored = await db.runOne(findTarget, [caller.tenantId, subscriptionId])
    if (stored === undefined) throw webhookNotFound()
    const topic = input.event ?? firstTopicOf(stored)
    const clock = new DatabaseClock()
    clock.set(stored.now)
    const createdAt = clock.now()
    const eventId = `${TEST_EVENT_PREFIX}${randomBytes(12).toString('hex')}`
    const body = JSON.stringify({ id: eventId, event: topic, created_at: createdAt, data: topicNamed(topic).sample })

    const release = slots.take(caller.tenantId, subscriptionId)
    const sender = createSender(webhookTargets)
    try {
      const message = { tenantId: caller.tenantId, eventId, topic, body, attemptNumber: 1, trigger: 'test' as const }
      const target = targetOf(stored, encryption, createdAt)
      const { attempt, acknowledged } = await attemptDelivery(message, target, sender, clock)
      const state = acknowledged ? 'succeeded' : 'failed'
      const row = await db.runOne(recordTest, [
        caller.tenantId,
        subscriptionId,
        eventId,
        topic,
        body,
        createdAt,
        state,
        JSON.stringify([attempt]),
      ])
      return deliveryOf(row as DeliveryRow)
    } finally {
      release()
      await sender.close()
    }
  },
})

function firstTopicOf({ events }: { events: string[] }): string {
  const [first] = events
  return first === undefined || first === '*' ? 'order/created' : first
}
