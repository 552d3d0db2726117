import { z } from 'zod'
import { cursorQuery, oneCursor, pageQuery, text, timestamp } from '../fields.ts'
import { since, until } from './moments.ts'
import { topic } from './topics.ts'

export const event = z
  .object({
    id: z
      .string()
      .describe(
        'The same for every attempt and every subscriber. Ids sort as text in the order of the feed, in which events of one record are in the order in which they happened.',
      ),
    event: topic,
    created_at: timestamp,
    data: z.record(z.string(), z.unknown()).describe('As it is sent to subscribers: see the `webhooks` of this document.'),
  })
  .meta({ id: 'Event' })

const feedCursor = z.string().regex(/^evt_[0-9a-f]{24}$/, 'must be the id of an event of the feed')

export const eventFeedQuery = z
  .object({
    event: topic.optional().describe('Only this topic.'),
    since: since.optional().describe('A date or a timestamp: events from then on.'),
    until: until.optional().describe('A date or a timestamp: events up to and including it.'),
    ...cursorQuery(feedCursor, 'Go on behind this event: the `next_cursor` of the answer before, or the id of any event.'),
    limit: pageQuery.limit,
  })
  .refine(...oneCursor)
  .transform((query) => ({ ...query, after: query.cursor ?? query.after }))

export const eventFeed = z.object({
  events: z.array(event).describe('Oldest first.'),
  next_cursor: z.string().nullable().describe('Pass it as `cursor` for the next page; null when there is nothing more now.'),
})

export const eventId = z.object({ id: text(255) })

export type Event = z.infer<typeof event>
export type EventFeedQuery = z.infer<typeof eventFeedQuery>
export type EventFeed = z.infer<typeof eventFeed>
