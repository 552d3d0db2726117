import type { RequestContext } from '../context.ts'
import { statement } from '../database/statement.ts'
import type { Event, EventFeed, EventFeedQuery } from './schemas.ts'

// An event's id begins with its transaction's. Below the oldest transaction that still runs nothing can be added any more, so a
// reader who goes on behind the last id that it saw misses no event, however late that event's transaction commits.
const readFeed = statement<
  [tenantId: number, after: string, topic: string | undefined, since: Date | undefined, until: Date | undefined, limit: number],
  { body: string }
>(
  'read_event_feed',
  `select body from events
   where tenant_id = $1 and id > $2 and id < 'evt_' || lpad(to_hex(pg_snapshot_xmin(pg_current_snapshot())::text::bigint), 12, '0')
     and ($3::text is null or topic = $3)
     and created_at >= coalesce($4::timestamptz, '-infinity') and created_at < coalesce($5::timestamptz, 'infinity')
   order by id limit $6`,
)

/** A page of the tenant's events, oldest first. */
export async function listEvents({ db, caller }: RequestContext, query: EventFeedQuery): Promise<EventFeed> {
  const rows = await db.run(readFeed, [
    caller.tenantId,
    query.after ?? '',
    query.event,
    query.since,
    query.until,
    query.limit + 1,
  ])
  const events = rows.slice(0, query.limit).map(({ body }) => JSON.parse(body) as Event)
  return { events, next_cursor: rows.length > query.limit ? (events.at(-1)?.id ?? null) : null }
}
