import { z } from 'zod'
import { returned } from '../answer-fields.ts'
import { cursorQuery, oneCursor, pageQuery, text } from '../fields.ts'
import { since, until } from './moments.ts'
import { topic } from './topics.ts'

export const event = z
  .object({
    id: z
      .string()
      .describe(
        'Id of the event, the same for every attempt and every subscriber. Ids sort as text in the order of the feed, in which events of one record are in the order in which they happened.',
      ),
    event: topic.describe('Topic of the event.'),
    created_at: returned.created_at,
    data: z
      .record(z.string(), z.unknown())
      .describe('Fields of the topic, as sent to subscribers: see the webhooks of this reference.'),
  })
  .meta({ id: 'Event' })

const feedCursor = z.string().regex(/^evt_[0-9a-f]{24}$/, 'must be the id of an event of the feed')

export const eventFeedQuery = z
  .object({
    event: topic.optional().describe('Only events of this topic. Default: all topics.'),
    since: since.optional().describe('Only events from then on: an ISO 8601 timestamp, or a date for its first moment (UTC).'),
    until: until
      .optional()
      .describe('Only events up to then, included: an ISO 8601 timestamp, or a date for its last moment (UTC).'),
    ...cursorQuery(
      feedCursor,
      'Continue after the event with this id: the `next_cursor` of the previous page, or the id of any event. Default: from the first.',
    ),
    limit: pageQuery.limit,
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))

export const eventFeed = z.object({
  events: z.array(event).describe('Events of this page, oldest first.'),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` for the next page; null when there are no later events yet.'),
})

export const eventId = z.object({ id: text(255).describe('Id of the event.') })

export type Event = z.infer<typeof event>
export type EventFeedQuery = z.infer<typeof eventFeedQuery>
export type EventFeed = z.infer<typeof eventFeed>
