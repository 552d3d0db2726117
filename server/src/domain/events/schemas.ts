import { z } from 'zod'
import { returned } from '../../procedures/fields/response-fields.ts'
import { cursorQuery, oneCursor, pageQuery, text } from '../../procedures/fields/fields.ts'
import { since, until } from '../../procedures/fields/moments.ts'
import { topicName, topicNameOrAll } from '../../procedures/event-topics.ts'

export const event = z
  .object({
    id: z
      .string()
      .describe(
        'Id of the event, the same for every attempt and every subscriber. Ids sort as text in the order of the feed, in which events of one record are in the order in which they happened.',
      ),
    event: topicName.describe('Topic of the event.'),
    created_at: returned.created_at,
    data: z
      .record(z.string(), z.unknown())
      .describe('Fields of the topic, as sent to subscribers: see the webhooks of this reference.'),
  })
  .meta({ id: 'Event' })

const feedCursor = z.string().regex(/^evt_[0-9a-f]{24}$/, 'must be the id of an event of the feed')

export const listEventsInput = z
  .object({
    event: z
      .preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(topicNameOrAll).min(1).max(100))
      .default(['*'])
      .describe(
        'Only events of this topic. Repeat the parameter for several topics: `event=*&event=reservation/updated`. `*`, the default, stands for all topics of orders, products, stock and picking flows.',
      ),
    since: since
      .optional()
      .describe('Only events at or after this time: an ISO 8601 timestamp, or a date for the start of that day (UTC).'),
    until: until
      .optional()
      .describe('Only events up to and including this time: an ISO 8601 timestamp, or a date for the end of that day (UTC).'),
    ...cursorQuery(
      feedCursor,
      'Continue after the event with this id, in the order of the page: the `next_cursor` of the previous page, or the id of any event. Default: start at the first.',
    ),
    order: z.enum(['asc', 'desc']).default('asc').describe('`asc`: oldest first. `desc`: newest first. Default: `asc`.'),
    limit: pageQuery.limit,
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))

export const listEventsOutput = z.object({
  events: z.array(event).describe('Events of this page, in the requested order.'),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      'Pass it as `cursor` to get the next page; null when there are no later events yet or, newest first, no older ones.',
    ),
})

export const getEventInput = z.object({ id: text(255).describe('Id of the event.') })

export type Event = z.infer<typeof event>
export type EventFeedQuery = z.infer<typeof listEventsInput>
export type EventFeed = z.infer<typeof listEventsOutput>
