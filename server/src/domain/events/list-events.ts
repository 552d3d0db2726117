import type { FeedBounds, RequestContext } from '../../procedures/context.ts'
import { endpoint } from '../../procedures/endpoint.ts'
import { EVENTS_PER_LOOK, FEED, type FeedRange, START } from './feed-statements.ts'
import { type Event, listEventsOutput, type EventFeed, listEventsInput, type EventFeedQuery } from './schemas.ts'

const LOOKING_MS = 1_000

/** A page of the tenant's events, oldest first or newest first. */
export const listEvents = endpoint({
  name: 'events.list',
  scope: 'read:webhooks',
  method: 'GET',
  path: '/events',
  summary: 'Read the event feed',
  description:
    'Events of the last 30 days, oldest first or, with `order=desc`, newest first, whether or not there is a subscription. Events of one record (an order, a picking flow, a product, the stock of a product at a location) are in the order they happened. To follow the feed, read it oldest first and pass `next_cursor` as `cursor`, or, when it is null, the id of the last event you read: no event is ever skipped, even if it is committed late. While other changes are in progress, the most recent events may only appear in the next call. A page can have fewer events than `limit`, or none, and still a `next_cursor`: continue until it is null.',
  isAddition: true,
  input: listEventsInput,
  output: listEventsOutput,
  run: async (context, query) => {
    const bounds = await boundsFor(context, query)
    if (query.since !== undefined || query.until !== undefined) return await findEvents(context, query, bounds)
    const first = await readPage(context, query, bounds)
    if (query.order === 'desc' || first.bodies.length > query.limit || first.cutAt !== undefined || !isBehind(first.upTo, bounds))
      return await complete(context, query, bounds, first)
    await context.feedHorizon.catchUp(bounds.latest)
    const later = await context.feedHorizon.bounds()
    return await complete(context, query, later, await readPage(context, query, later))
  },
})

/** What the first statement found. */
interface FirstRead {
  bodies: string[]
  upTo?: number | null | undefined
  /** The last event read, when there may be others. */
  cutAt?: string | undefined
}

/** The page, for which many events of other topics may have to be passed over. */
async function complete(
  context: RequestContext,
  query: EventFeedQuery,
  bounds: FeedBounds,
  first: FirstRead,
): Promise<EventFeed> {
  if (first.bodies.length > query.limit || first.cutAt === undefined) return pageOf(first.bodies, query.limit)
  return await findEvents(context, { ...query, after: first.cutAt }, bounds, first.bodies)
}

/** Newest first, the first page waits for the events from before the call: later pages are about older ones. */
async function boundsFor({ feedHorizon }: RequestContext, { order, after }: EventFeedQuery): Promise<FeedBounds> {
  const bounds = await feedHorizon.bounds()
  if (order === 'asc' || after !== undefined) return bounds
  await feedHorizon.catchUp(bounds.latest)
  return await feedHorizon.bounds()
}

async function readPage(
  context: RequestContext,
  { event, after, order, limit }: EventFeedQuery,
  bounds: FeedBounds,
): Promise<FirstRead> {
  const range = rangeOf(context, after ?? START[order], bounds)
  const { readAll, readTopic, readTopics } = FEED[order]
  const rows: { body: string | null; up_to: number | null; last_id?: string | null }[] = await (event.includes('*')
    ? context.db.run(readAll, [...range, event, limit + 1])
    : event.length === 1
      ? context.db.run(readTopic, [...range, event[0] as string, limit + 1])
      : context.db.run(readTopics, [...range, event, limit + 1]))
  const upTo = rows[0]?.up_to
  context.feedHorizon.wasRead(bounds.server, upTo)
  const bodies = rows.map(({ body }) => body).filter((body) => body !== null)
  return { bodies, upTo, cutAt: rows.at(-1)?.last_id ?? undefined }
}

/** Whether events from before the call could not be read yet. */
const isBehind = (upTo: number | null | undefined, { latest }: FeedBounds): boolean => typeof upTo === 'number' && upTo < latest

/**
 * Reads through the feed within the time limit of a request, on a `slow` connection. If that is not enough, the page has fewer events, and the
 * next page continues after the last event read. `found` are the events of the page so far.
 */
async function findEvents(
  context: RequestContext,
  query: EventFeedQuery,
  given: FeedBounds,
  found: string[] = [],
): Promise<EventFeed> {
  const { event, since, until, order, limit } = query
  let bounds = given
  const endMs = performance.now() + LOOKING_MS
  for (let after = query.after; ;) {
    const wanted = limit + 1 - found.length
    const range = rangeOf(context, after ?? START[order], bounds)
    const [seen] =
      event.length === 1 && !event.includes('*')
        ? await context.db.run(FEED[order].lookThroughTopic, [...range, event[0] as string, since, until, wanted])
        : await context.db.run(FEED[order].lookThroughAll, [...range, event, since, until, wanted])
    context.feedHorizon.wasRead(bounds.server, seen?.up_to)
    found.push(...(seen?.bodies ?? []))
    after = seen?.last_id ?? after
    const isAtEnd = seen === undefined || seen.looked_at < EVENTS_PER_LOOK
    const isComplete = isAtEnd && (order === 'desc' || bounds !== given || !isBehind(seen?.up_to, given))
    if (found.length > limit || isComplete) return pageOf(found, limit)
    if (isAtEnd) {
      await context.feedHorizon.catchUp(given.latest)
      bounds = await context.feedHorizon.bounds()
    }
    if (performance.now() > endMs) return { ...pageOf(found, limit), next_cursor: after ?? null }
  }
}

const rangeOf = ({ caller }: RequestContext, after: string, { server, final, latest }: FeedBounds): FeedRange => [
  caller.tenantId,
  after,
  server,
  final,
  latest,
]

function pageOf(bodies: readonly string[], limit: number): EventFeed {
  const events = bodies.slice(0, limit).map((body) => JSON.parse(body) as Event)
  return { events, next_cursor: bodies.length > limit ? (events.at(-1)?.id ?? null) : null }
}
