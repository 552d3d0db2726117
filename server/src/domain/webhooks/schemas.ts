import { z } from 'zod'
import { returned } from '../../procedures/fields/response-fields.ts'
import { pageQuery, pagination, queryBoolean, text, timestamp, trimmedText } from '../../procedures/fields/fields.ts'
import { hasNoRedundantTopic, topicName, topicNameOrAll } from '../../procedures/event-topics.ts'
import { since, until } from '../../procedures/fields/moments.ts'

const topics = z
  .array(topicNameOrAll)
  .min(1, 'must name at least one topic')
  .max(100)
  .transform((names) => [...new Set<string>(names)])
  .refine(hasNoRedundantTopic, 'must be topics, or * alone or beside additional topics')
  .describe(
    'Topics to subscribe to. `*` stands for all topics of orders, products, stock and picking flows; additional topics are named beside it.',
  )

const subscribedTopics = z
  .array(z.string())
  .describe('Subscribed topics. `*` stands for all topics of orders, products, stock and picking flows.')
const secret = z
  .string()
  .describe(
    'Signing secret: `whsec_` and 32 random bytes in base64. Returned only in this response; keep it to verify signatures.',
  )

const name = trimmedText(255)
  .describe('Name of the subscription.')
  .meta({ examples: ['shop'] })
/** As it is shown and called: a parser takes `http:shop.example.com` for a URL too, replaces `\` and drops line breaks. */
const AS_CALLED = /^[a-z]+:\/\/[^\s\\/][^\\\p{Cc}]*$/iu

const url = trimmedText(2048)
  .refine((value) => AS_CALLED.test(value), 'must be an absolute http or https URL')
  .describe('URL of the receiver: http or https; https only in production.')
  .meta({ examples: ['https://shop.example.com/webhooks'] })
const webhookId = text(255).describe('Id of the subscription.')

/** Fields of every response about a subscription. */
const identity = {
  id: z.string().describe('Id of the subscription.'),
  name: z.string().describe('Name of the subscription.'),
  url: z.string().describe('URL of the receiver.'),
  events: subscribedTopics,
}
const active = z.boolean().describe('False while the subscription is disabled or paused: no event is sent to it.')

export const createWebhookInput = z.object({ name, url, events: topics })

export const updateWebhookInput = z.object({
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

export const createWebhookOutput = z
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
        'Why the subscription is inactive. `gone`: the receiver responded with 410. `failing`: the receiver acknowledged no event for 5 days and at least 20 attempts in a row. `paused`: a PUT set `active` to false. `moved`: reserved; the service does not set it. null while the subscription is active.',
      ),
    disabled_at: timestamp.nullable().describe('Time the subscription became inactive, UTC; null while it is active.'),
    failing_since: timestamp
      .nullable()
      .describe('Time of the first failure since the last acknowledged delivery, UTC; null if no attempt failed since.'),
  })
  .meta({ id: 'Webhook', description: 'A subscription to events.' })

export const listWebhooksInput = z.object({
  include_inactive: queryBoolean.default(false).describe('Includes inactive subscriptions. true, false, 1 or 0. Default: false.'),
})
export const listWebhooksOutput = z.object({ webhooks: z.array(webhook).describe('Subscriptions, oldest first.') })
export const webhookPath = z.object({ id: webhookId })

export const deleteWebhookOutput = z.object({ message: returned.message, webhook_id: identity.id })

export const rotateSecretOutput = z.object({
  id: identity.id,
  secret,
  previous_secret_expires_at: timestamp.describe('Time until which the previous secret also signs, as an additional `v1`, UTC.'),
})

const deliveryState = z.enum(['pending', 'in_flight', 'succeeded', 'failed', 'skipped'])

export const delivery = z
  .object({
    id: z.string().describe('Id of the delivery.'),
    event_id: z.string().describe('Id of the event.'),
    event: topicName.describe('Topic of the event.'),
    webhook_id: identity.id,
    state: deliveryState.describe(
      '`pending`: the next attempt is scheduled. `in_flight`: an attempt is running. `succeeded`: the receiver acknowledged the event. `failed`: all attempts failed, or the receiver responded with 410. `skipped`: the subscription was inactive.',
    ),
    attempt_count: z.int().describe('Number of attempts made.'),
    next_attempt_at: timestamp.nullable().describe('Time of the next attempt, UTC; null unless the delivery is pending.'),
    last_status: z.int().nullable().describe('HTTP status of the last attempt; null if there was no response.'),
    last_error: z.string().nullable().describe('Error of the last attempt; null if it succeeded or no attempt was made.'),
    created_at: returned.created_at,
    completed_at: timestamp.nullable().describe('Time the delivery succeeded, failed or was skipped, UTC; null until then.'),
    attempts: z
      .array(
        z.object({
          number: z.int().describe('Number of the attempt, from 1.'),
          trigger: z
            .enum(['schedule', 'manual', 'replay', 'test'])
            .describe('What caused the attempt: the schedule, a manual retry, a replay, or a test call.'),
          started_at: returned.started_at,
          duration_ms: z.int().describe('Duration in milliseconds.'),
          response_status: z.int().nullable().describe('HTTP status of the response; null if there was none.'),
          response_body: z.string().nullable().describe('The first 1 KiB of the response body; null if there was no response.'),
          error: z.string().nullable().describe('Why the attempt failed; null if it succeeded.'),
        }),
      )
      .describe('The latest 100 attempts, oldest first.'),
  })
  .meta({ id: 'Delivery', description: 'The delivery of one event to one subscription.' })

export const listDeliveriesInput = z.object({
  id: webhookId,
  state: deliveryState.optional().describe('Only deliveries in this state.'),
  event: topicName.optional().describe('Only deliveries of this topic.'),
  ...pageQuery,
})
export const listDeliveriesOutput = z.object({
  deliveries: z.array(delivery).describe('Deliveries of this page, newest event first.'),
  pagination,
})
export const deliveryPath = z.object({ id: text(255).describe('Id of the delivery.') })

export const sendTestInput = z.object({
  id: webhookId,
  event: topicName
    .nullish()
    .describe('Topic of the sample event. Default: the first topic of the subscription.')
    .meta({ examples: ['order/completed'] }),
})

export const replayEventsInput = z.object({
  id: webhookId,
  since: since.describe('Start of the time range: an ISO 8601 timestamp, or a date for the start of that day (UTC).'),
  until: until
    .nullish()
    .describe('End of the time range, inclusive: an ISO 8601 timestamp, or a date for the end of that day (UTC). Default: now.'),
})
export const replayEventsOutput = z.object({ queued: z.int().describe('Number of deliveries queued.') })

export type CreatedWebhook = z.infer<typeof createWebhookOutput>
export type Webhook = z.infer<typeof webhook>
export type Delivery = z.infer<typeof delivery>
