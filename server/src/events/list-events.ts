import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import { eventId } from './event-id.ts'
import { readableUpTo, type FeedBounds } from './feed-horizon.ts'
import type { Event, EventFeed, EventFeedQuery } from './schemas.ts'

type Place = [tenantId: number, after: string, server: string, final: number, latest: number]
const READABLE = `readable as materialized (
     select ${readableUpTo({ server: '$3', final: '$4', latest: '$5' })} as up_to
   )`
const BEHIND_AND_READABLE = `tenant_id = $1 and id > $2 and id <= (select ${eventId('up_to')} from readable)`

/** Without events there is one row, which says how far it looked. */
const readFeed = statement<[...Place, limit: number], { body: string | null; up_to: number | null }>(
  'read_event_feed',
  `with ${READABLE}
   select e.body, r.up_to from readable r left join (
     select body from events where ${BEHIND_AND_READABLE} order by id limit $6
   ) e on true`,
)

/** Events that one statement looks at, to find those that a filter lets through. */
const EVENTS_A_LOOK = 5_000
const LOOKING_MS = 1_000

interface Look {
  /** Null when nothing was let through. */
  bodies: string[] | null
  looked_at: number
  last_id: string | null
  up_to: number | null
}

// Whole days are left out before events are counted, so that a period is found without a look at what is before it.
const lookThroughFeed = statement<
  [...Place, topic: string | undefined, since: Date | undefined, until: Date | undefined, limit: number],
  Look
>(
  'look_through_event_feed',
  `with ${READABLE}, looked_at as materialized (
     select id, created_at, topic from events
     where ${BEHIND_AND_READABLE}
       and created_at >= coalesce(date_trunc('day', $7::timestamptz), '-infinity')
       and created_at < coalesce(date_trunc('day', $8::timestamptz) + interval '1 day', 'infinity')
     order by id limit ${EVENTS_A_LOOK}
   ), found as (
     select id, created_at from looked_at
     where ($6::text is null or topic = $6)
       and created_at >= coalesce($7::timestamptz, '-infinity') and created_at < coalesce($8::timestamptz, 'infinity')
     order by id limit $9
   )
   select (
     select json_agg(e.body order by f.id) from found f cross join lateral (
       select body from events where tenant_id = $1 and id = f.id and created_at = f.created_at limit 1
     ) e
   ) as bodies, count(*) as looked_at, max(id) as last_id, (select up_to from readable) as up_to from looked_at`,
)

/** A page of the tenant's events, oldest first. */
export async function listEvents(context: RequestContext, query: EventFeedQuery): Promise<EventFeed> {
  const bounds = await context.feedHorizon.bounds()
  const isFiltered = query.event !== undefined || query.since !== undefined || query.until !== undefined
  if (isFiltered) return await findEvents(context, query, bounds)
  const first = await readPage(context, query, bounds)
  if (first.bodies.length > query.limit || !isBehind(first.upTo, bounds)) return pageOf(first.bodies, query.limit)
  await context.feedHorizon.catchUp(bounds.latest)
  const { bodies } = await readPage(context, query, await context.feedHorizon.bounds())
  return pageOf(bodies, query.limit)
}

async function readPage(
  context: RequestContext,
  { after, limit }: EventFeedQuery,
  bounds: FeedBounds,
): Promise<{ bodies: string[]; upTo: number | null | undefined }> {
  const rows = await context.db.run(readFeed, [...placeOf(context, after, bounds), limit + 1])
  const upTo = rows[0]?.up_to
  context.feedHorizon.wasRead(bounds.server, upTo)
  return { bodies: rows.map(({ body }) => body).filter((body) => body !== null), upTo }
}

/** Whether events that there were before the call could not be read yet. */
const isBehind = (upTo: number | null | undefined, { latest }: FeedBounds): boolean => typeof upTo === 'number' && upTo < latest

/**
 * Looks through the feed for as long as a request may, over connections that nobody else waits for. When that is not enough, the page has
 * fewer events, and the next one goes on behind the last event that was looked at.
 */
async function findEvents(context: RequestContext, query: EventFeedQuery, given: FeedBounds): Promise<EventFeed> {
  const { event, since, until, limit } = query
  let bounds = given
  const found: string[] = []
  const endMs = performance.now() + LOOKING_MS
  for (let after = query.after; ;) {
    const wanted = limit + 1 - found.length
    const [look] = await context.db.runApart(lookThroughFeed, [...placeOf(context, after, bounds), event, since, until, wanted])
    context.feedHorizon.wasRead(bounds.server, look?.up_to)
    found.push(...(look?.bodies ?? []))
    after = look?.last_id ?? after
    const isAtEnd = look === undefined || look.looked_at < EVENTS_A_LOOK
    if (found.length > limit || (isAtEnd && (bounds !== given || !isBehind(look?.up_to, given)))) return pageOf(found, limit)
    if (isAtEnd) {
      await context.feedHorizon.catchUp(given.latest)
      bounds = await context.feedHorizon.bounds()
    }
    if (performance.now() > endMs) return { ...pageOf(found, limit), next_cursor: after ?? null }
  }
}

const placeOf = ({ caller }: RequestContext, after: string | undefined, { server, final, latest }: FeedBounds): Place => [
  caller.tenantId,
  after ?? '',
  server,
  final,
  latest,
]

function pageOf(bodies: readonly string[], limit: number): EventFeed {
  const events = bodies.slice(0, limit).map((body) => JSON.parse(body) as Event)
  return { events, next_cursor: bodies.length > limit ? (events.at(-1)?.id ?? null) : null }
}
