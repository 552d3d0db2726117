import { endpoint, router } from '../trpc.ts'
import { getEvent } from './get-event.ts'
import { listEvents } from './list-events.ts'
import { event, eventFeed, eventFeedQuery, eventId } from './schemas.ts'

const extension = { extension: true }

export const eventsRouter = router({
  list: endpoint(
    'read:webhooks',
    {
      method: 'GET',
      path: '/events',
      summary: 'Read the event feed',
      description:
        'All events of the last 30 days, oldest first, with or without a subscription. Events of one record (an order, a picking flow, a product, the stock of a product at a location) are in the order in which they happened. To follow the feed, pass the id of the last event that you read as `cursor`: no event is ever skipped, even one that was committed late. While other changes are being made, the events of the last moments may follow with the next call. With `event`, `since` or `until` a page may have fewer events than `limit`, or none, and a `next_cursor`: continue until that is null.',
    },
    extension,
  )
    .input(eventFeedQuery)
    .output(eventFeed)
    .query(({ ctx, input }) => listEvents(ctx, input)),

  get: endpoint(
    'read:webhooks',
    { method: 'GET', path: '/events/{id}', summary: 'Get an event', description: 'One event, as subscribers get it.' },
    extension,
  )
    .input(eventId)
    .output(event)
    .query(({ ctx, input }) => getEvent(ctx, input)),
})
