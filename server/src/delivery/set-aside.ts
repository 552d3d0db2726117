import { statement } from '../database/statements/statement.ts'
import { EVENT_DAYS_KEPT } from '../database/retention.ts'
import type { Queryable } from '../database/database.ts'

/** The tenant's first event in the outbox. */
export const firstEvent = statement<[tenantId: number], { eventId: string }>({
  name: 'first_outbox_event',
  connection: 'read',
  sql: `select event_id as "eventId" from event_outbox where tenant_id = $1 order by event_id limit 1`,
})

/** Moves an event that could not be fanned out from the outbox to the events set aside. */
export const setAside = statement<[tenantId: number, eventId: string, error: string], unknown>({
  name: 'set_event_aside',
  connection: 'write',
  sql: `with taken as (
     delete from event_outbox where tenant_id = $1 and event_id = $2 returning *
   )
   insert into outbox_set_aside (tenant_id, event_id, event_created_at, topic, error)
   select tenant_id, event_id, event_created_at, topic, $3 from taken
   on conflict (tenant_id, event_id) do update set error = excluded.error, set_aside_at = now()`,
})

/** Events retried at a time: each may take a fan-out its whole time limit. */
const PUT_BACK_AT_ONCE = 1_000

const putBack = statement<[limit: number], { putBack: number }>({
  name: 'put_back_events',
  connection: 'write',
  sql: `with event as materialized (
     select ctid as row from outbox_set_aside where set_aside_at < now() - interval '1 hour'
     order by set_aside_at limit $1 for update skip locked
   ), taken as (
     delete from outbox_set_aside where ctid = any (array(select row from event)) returning *
   ), returned as (
     insert into event_outbox (tenant_id, event_id, event_created_at, topic)
     -- The bodies of older events are deleted.
     select tenant_id, event_id, event_created_at, topic from taken where event_created_at > now() - interval '${EVENT_DAYS_KEPT} days'
     on conflict do nothing
     returning 1
   )
   select count(*) as "putBack" from returned`,
})

/** Puts events that were set aside an hour ago back into the outbox, and returns how many. */
export async function putBackEvents(db: Queryable): Promise<number> {
  const [row] = await db.run(putBack, [PUT_BACK_AT_ONCE])
  return row?.putBack ?? 0
}
