import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statement.ts'

/** What of all tenants' events and deliveries is still to be done. */
export interface Backlog {
  outboxEvents: number
  outboxAgeSeconds: number
  /** Events that could not be turned into deliveries. */
  eventsSetAside: number
  waitingDeliveries: number
  dueLanes: number
  heldLanes: number
  failingLanes: number
}

/** So that looking at a large backlog does not add to it. */
const MOST = 100_000

const measure = statement<[], Backlog>(
  'measure_delivery_backlog',
  `select o.*, a.*, d.*, l.* from
     (select count(*) as "outboxEvents", coalesce(extract(epoch from clock_timestamp() - min(event_created_at)), 0)::float8 as "outboxAgeSeconds"
      from (select event_created_at from event_outbox limit ${MOST}) o) o,
     (select count(*) as "eventsSetAside" from (select from outbox_set_aside limit ${MOST}) a) a,
     (select count(*) as "waitingDeliveries" from (select from waiting_deliveries limit ${MOST}) d) d,
     (select count(*) filter (where due_at <= now()) as "dueLanes", count(*) filter (where held_until > now()) as "heldLanes",
        count(*) filter (where failing_since is not null) as "failingLanes"
      from webhook_lanes) l`,
)

/** Measures the backlog, for monitoring. Counts no further than 100,000. */
export async function measureBacklog(db: Queryable): Promise<Backlog> {
  // A large backlog takes a while.
  const [backlog] = await db.runApart(measure, [])
  return backlog as Backlog
}
