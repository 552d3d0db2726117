import type { Queryable } from '../database/database.ts'
import { statement } from '../database/statements/statement.ts'

/** The backlog of events and deliveries of all tenants. */
interface Backlog {
  outbox_events: number
  outbox_age_seconds: number
  /** Events that could not be turned into deliveries. */
  outbox_set_aside_events: number
  webhook_waiting_deliveries: number
  webhook_due_lanes: number
  webhook_held_lanes: number
  webhook_failing_lanes: number
}

/** Bounds the cost of measuring a large backlog. */
const MOST = 100_000

const measure = statement<[], Backlog>({
  name: 'measure_delivery_backlog',
  // A large backlog takes long.
  connection: 'slow',
  sql: `select o.*, a.*, d.*, l.* from
     (select count(*) as outbox_events, coalesce(extract(epoch from clock_timestamp() - min(event_created_at)), 0)::float8 as outbox_age_seconds
      from (select event_created_at from event_outbox limit ${MOST}) o) o,
     (select count(*) as outbox_set_aside_events from (select from outbox_set_aside limit ${MOST}) a) a,
     (select count(*) as webhook_waiting_deliveries from (select from waiting_deliveries limit ${MOST}) d) d,
     (select count(*) filter (where due_at <= now()) as webhook_due_lanes, count(*) filter (where held_until > now()) as webhook_held_lanes,
        count(*) filter (where failing_since is not null) as webhook_failing_lanes
      from webhook_lanes) l`,
})

/** Measures the backlog, for monitoring. Counts no further than 100,000. */
export async function measureBacklog(db: Queryable): Promise<Record<string, number>> {
  const [backlog] = await db.run(measure, [])
  return { ...(backlog as Backlog) }
}
