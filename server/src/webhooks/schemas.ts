import { z } from 'zod'
import { returned } from '../answer-fields.ts'
import { since, topic, TOPICS, until } from '../events/index.ts'
import { pageQuery, pagination, queryBoolean, text, timestamp, trimmedText } from '../fields.ts'

const topics = z
  .array(z.enum([...TOPICS, '*']))
  .min(1, 'must name at least one topic')
  .max(100)
  .transform((names) => [...new Set<string>(names)])
  .refine((names) => names.length === 1 || !names.includes('*'), 'must be topics, or * alone')
  .describe('Topics to send, or `*` alone for all of them.')

const subscribedTopics = z.array(z.string()).describe('Topics that are sent, or `*` alone for all of them.')
const secret = z
  .string()
  .describe('Signing secret: `whsec_` and 32 random bytes in base64. Shown only in this answer; keep it to verify signatures.')

const name = trimmedText(255)
  .describe('Name of the subscription.')
  .meta({ examples: ['shop'] })
const url = trimmedText(2048)
  .describe('Address of the receiver: http or https, in production https only.')
  .meta({ examples: ['https://shop.example.com/webhooks'] })
const webhookId = text(255).describe('Id of the subscription.')

/** What every answer about a subscription has. */
const identity = {
  id: z.string().describe('Id of the subscription.'),
  name: z.string().describe('Name of the subscription.'),
  url: z.string().describe('Address of the receiver.'),
  events: subscribedTopics,
}
const active = z.boolean().describe('False while the subscription is disabled or paused: nothing is sent to it.')

export const newWebhook = z.object({ name, url, events: topics })

export const webhookChanges = z.object({
  id: webhookId,
  name: name.optional(),
  url: url.optional(),
  events: topics.optional(),
  active: z
    .boolean()
    .optional()
    .describe('true enables a disabled or paused subscription; false pauses it.')
    .meta({ examples: [true] }),
})

export const createdWebhook = z
  .object({
    ...identity,
    secret,
    active,
    created_at: returned.created_at,
  })
  .meta({ id: 'CreatedWebhook', description: 'A new subscription with its signing secret.' })

/** Why a subscription is inactive. The database has the same list as a CHECK. */
const DISABLED_REASONS = ['gone', 'failing', 'paused', 'moved'] as const

export const webhook = z
  .object({
    ...identity,
    active,
    created_at: returned.created_at,
    updated_at: returned.updated_at,
    disabled_reason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .describe(
        'Why it is inactive. `gone`: the receiver answered 410. `failing`: it acknowledged nothing for 5 days. `paused`: a PUT set `active` to false. `moved`: the tenant is in another database now. null while it is active.',
      ),
    disabled_at: timestamp.nullable().describe('Time from which it is inactive, UTC; null while it is active.'),
    failing_since: timestamp
      .nullable()
      .describe('Time of the first failure since the last acknowledged delivery, UTC; null when nothing failed since.'),
  })
  .meta({ id: 'Webhook', description: 'A subscription to events.' })

export const webhookListQuery = z.object({
  include_inactive: queryBoolean
    .default(false)
    .describe('Lists inactive subscriptions too. true, false, 1 or 0. Default: false.'),
})
export const webhookList = z.object({ webhooks: z.array(webhook).describe('Subscriptions, oldest first.') })
export const webhookPath = z.object({ id: webhookId })

export const deletedWebhook = z.object({ message: returned.message, webhook_id: identity.id })

export const rotatedSecret = z.object({
  id: identity.id,
  secret,
  previous_secret_expires_at: timestamp.describe('Time until which the previous secret signs too, as a further `v1`, UTC.'),
})

const deliveryState = z.enum(['pending', 'in_flight', 'succeeded', 'failed', 'skipped'])

export const delivery = z
  .object({
    id: z.string().describe('Id of the delivery.'),
    event_id: z.string().describe('Id of the event.'),
    event: topic.describe('Topic of the event.'),
    webhook_id: identity.id,
    state: deliveryState.describe(
      '`pending`: it waits for an attempt. `in_flight`: an attempt is running. `succeeded`: the receiver acknowledged it. `failed`: all attempts failed, or the receiver answered 410. `skipped`: the subscription was inactive.',
    ),
    attempt_count: z.int().describe('Number of all attempts made.'),
    next_attempt_at: timestamp.nullable().describe('Time of the next attempt, UTC; null unless the delivery is pending.'),
    last_status: z.int().nullable().describe('HTTP status of the last attempt; null when there was no answer.'),
    last_error: z.string().nullable().describe('Error of the last attempt; null when it succeeded or none was made.'),
    created_at: returned.created_at,
    completed_at: timestamp.nullable().describe('Time at which it succeeded, failed or was skipped, UTC; null until then.'),
    attempts: z
      .array(
        z.object({
          number: z.int().describe('Number of the attempt, from 1.'),
          trigger: z
            .enum(['schedule', 'manual', 'replay', 'test'])
            .describe('What caused it: the schedule, a retry by hand, a replay, or a test call.'),
          started_at: returned.started_at,
          duration_ms: z.int().describe('Duration in milliseconds.'),
          response_status: z.int().nullable().describe('HTTP status of the answer; null when there was none.'),
          response_body: z.string().nullable().describe('The first 1 KiB of the answer; null when there was none.'),
          error: z.string().nullable().describe('Why the attempt failed; null when it succeeded.'),
        }),
      )
      .describe('The latest 100 attempts, oldest first.'),
  })
  .meta({ id: 'Delivery', description: 'The sending of one event to one subscription.' })

export const deliveryQuery = z.object({
  id: webhookId,
  state: deliveryState.optional().describe('Only deliveries in this state.'),
  event: topic.optional().describe('Only deliveries of this topic.'),
  ...pageQuery,
})
export const deliveryList = z.object({
  deliveries: z.array(delivery).describe('Deliveries of this page, newest event first.'),
  pagination,
})
export const deliveryPath = z.object({ id: text(255).describe('Id of the delivery.') })

export const testRequest = z.object({
  id: webhookId,
  event: topic
    .nullish()
    .describe('Topic of the sample event. Default: the first topic of the subscription.')
    .meta({ examples: ['order/completed'] }),
})

export const replayRequest = z.object({
  id: webhookId,
  since: since.describe('Start of the time range: an ISO 8601 timestamp, or a date for its first moment (UTC).'),
  until: until
    .nullish()
    .describe('End of the time range, included: an ISO 8601 timestamp, or a date for its last moment (UTC). Default: now.'),
})
export const replayed = z.object({ queued: z.int().describe('Number of deliveries queued.') })

export type NewWebhook = z.infer<typeof newWebhook>
export type CreatedWebhook = z.infer<typeof createdWebhook>
export type Webhook = z.infer<typeof webhook>
export type WebhookChanges = z.infer<typeof webhookChanges>
export type Delivery = z.infer<typeof delivery>
export type DeliveryQuery = z.infer<typeof deliveryQuery>
export type ReplayRequest = z.infer<typeof replayRequest>
