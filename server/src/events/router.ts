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
        'All events of the last 30 days, oldest first, with or without a subscription. To follow the feed, pass the id of the last event that you read as `cursor`: no event is ever skipped, even one that was committed late.',
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
