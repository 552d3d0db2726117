import { z } from 'zod'
import { since, topic, TOPICS, until } from '../events/index.ts'
import { pageQuery, pagination, queryBoolean, text, timestamp, trimmedText } from '../fields.ts'

const topics = z
  .array(z.enum([...TOPICS, '*']))
  .min(1, 'must name at least one topic')
  .max(100)
  .transform((names) => [...new Set<string>(names)])
  .refine((names) => names.length === 1 || !names.includes('*'), 'must be topics, or * alone')
  .describe('Topics, or `*` alone for all of them.')

const subscribedTopics = z.array(z.string()).describe('Topics, or `*` alone for all of them.')
const secret = z
  .string()
  .describe('Signing secret: `whsec_` and 32 random bytes in base64. It is shown only here: keep it to verify signatures.')

const name = trimmedText(255).meta({ examples: ['shop'] })
const url = trimmedText(2048)
  .describe('Receiver address: http or https, in production https only.')
  .meta({ examples: ['https://shop.example.com/webhooks'] })
const webhookId = text(255)

export const newWebhook = z.object({ name, url, events: topics })

export const webhookChanges = z.object({
  id: webhookId,
  name: name.optional(),
  url: url.optional(),
  events: topics.optional(),
  active: z
    .boolean()
    .optional()
    .describe('true turns a disabled subscription on again, false pauses it.')
    .meta({ examples: [true] }),
})

export const createdWebhook = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    events: subscribedTopics,
    secret,
    active: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'CreatedWebhook' })

/** Why a subscription is inactive. The database has the same list as a CHECK. */
const DISABLED_REASONS = ['gone', 'failing', 'paused', 'moved'] as const

export const webhook = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    events: subscribedTopics,
    active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
    disabled_reason: z
      .enum(DISABLED_REASONS)
      .nullable()
      .describe(
        '`gone`: the receiver answered 410. `failing`: nothing was acknowledged for 5 days. `paused`: by a PUT. `moved`: the tenant is in another database now.',
      ),
    disabled_at: timestamp.nullable(),
    failing_since: timestamp.nullable().describe('When the first of the failures happened since which nothing was acknowledged.'),
  })
  .meta({ id: 'Webhook' })

export const webhookListQuery = z.object({
  include_inactive: queryBoolean.default(false).describe('Lists inactive subscriptions, too.'),
})
export const webhookList = z.object({ webhooks: z.array(webhook) })
export const webhookPath = z.object({ id: webhookId })

export const deletedWebhook = z.object({ message: z.string(), webhook_id: z.string() })

export const rotatedSecret = z.object({
  id: z.string(),
  secret,
  previous_secret_expires_at: timestamp.describe('Until then the previous secret signs too, as a second `v1`.'),
})

const deliveryState = z.enum(['pending', 'in_flight', 'succeeded', 'failed', 'skipped'])

export const delivery = z
  .object({
    id: z.string(),
    event_id: z.string(),
    event: topic,
    webhook_id: z.string(),
    state: deliveryState.describe(
      '`skipped`: the subscription was inactive. `failed`: all attempts were made, or the receiver answered 410.',
    ),
    attempt_count: z.int(),
    next_attempt_at: timestamp.nullable().describe('Present while the delivery is pending.'),
    last_status: z.int().nullable().describe('HTTP status of the last attempt, null when there was no answer.'),
    last_error: z.string().nullable(),
    created_at: timestamp,
    completed_at: timestamp.nullable(),
    attempts: z.array(
      z.object({
        number: z.int(),
        trigger: z.enum(['schedule', 'manual', 'replay', 'test']),
        started_at: timestamp,
        duration_ms: z.int(),
        response_status: z.int().nullable(),
        response_body: z.string().nullable().describe('The first 1 KiB of the answer.'),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'Delivery' })

export const deliveryQuery = z.object({
  id: webhookId,
  state: deliveryState.optional(),
  event: topic.optional().describe('Only deliveries of this topic.'),
  ...pageQuery,
})
export const deliveryList = z.object({ deliveries: z.array(delivery).describe('Newest event first.'), pagination })
export const deliveryPath = z.object({ id: webhookId })

export const testRequest = z.object({
  id: webhookId,
  event: topic
    .nullish()
    .describe('Default: the first topic subscribed to.')
    .meta({ examples: ['order/completed'] }),
})

export const replayRequest = z.object({
  id: webhookId,
  since: since.describe('A date or a timestamp: events from then on.'),
  until: until.nullish().describe('A date or a timestamp: events up to and including it. Default: now.'),
})
export const replayed = z.object({ queued: z.int().describe('How many deliveries were queued.') })

export type NewWebhook = z.infer<typeof newWebhook>
export type CreatedWebhook = z.infer<typeof createdWebhook>
export type Webhook = z.infer<typeof webhook>
export type WebhookChanges = z.infer<typeof webhookChanges>
export type Delivery = z.infer<typeof delivery>
export type DeliveryQuery = z.infer<typeof deliveryQuery>
export type ReplayRequest = z.infer<typeof replayRequest>
