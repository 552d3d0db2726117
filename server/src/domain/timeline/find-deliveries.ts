import type { Queryable } from '../../database/database.ts'
import { statement } from '../../database/statements/statement.ts'
import { type Delivery, type DeliveryRow, deliveryOf } from '../webhooks/index.ts'
import { FEW_WEBHOOKS } from './timeline-sources.ts'

/** A delivery, without its attempts. */
export type DeliverySummary = Omit<Delivery, 'attempts'>

/** An event of a timeline, with its exact time. */
export interface ListedEvent {
  id: string
  createdAt: string
}

const COLUMNS = `d.subscription_id, d.event_id, d.topic, d.state, d.created_at`
/** Only the last attempt: a response tells its number and result. */
const LAST_ATTEMPT = `case when jsonb_array_length(d.attempts) = 0 then '[]' else jsonb_build_array(d.attempts -> -1) end as attempts`
const OF_EVENT = `d.tenant_id = $1 and d.subscription_id = w.id and d.event_created_at = e.created_at and d.event_id = e.id`

const selectDeliveries = statement<
  [tenantId: number, eventIds: string[], createdAt: string[], first: string, last: string],
  DeliveryRow
>({
  name: 'find_deliveries_of_events',
  connection: 'read',
  // The times of the first and the last event choose the partitions before the plan runs.
  sql: `select d.* from unnest($2::text[], $3::timestamptz[]) with ordinality e (id, created_at, position)
   cross join webhook_subscriptions w cross join lateral (
     (select ${COLUMNS}, d.next_attempt_at, null::timestamptz as completed_at, ${LAST_ATTEMPT}
      from waiting_deliveries d where ${OF_EVENT} limit 1)
     union all
     (select ${COLUMNS}, null, d.completed_at, ${LAST_ATTEMPT}
      from finished_deliveries d where ${OF_EVENT} and d.event_created_at between $4 and $5 limit 1)
   ) d
   where w.tenant_id = $1
   order by e.position, d.subscription_id`,
})

/** Look-ups of so many events are quick for any number of subscriptions. */
const FEW_EVENTS = 10

/** The deliveries of events to subscriptions, without their attempts, by the id of the event. */
export async function findDeliveries(
  db: Queryable,
  tenantId: number,
  { events, webhooks }: { events: readonly ListedEvent[]; webhooks: number },
): Promise<Map<string, DeliverySummary[]>> {
  const found = new Map<string, DeliverySummary[]>(events.map(({ id }) => [id, []]))
  const times = events.map(({ createdAt }) => createdAt).toSorted()
  const [first] = times
  const last = times.at(-1)
  if (first === undefined || last === undefined) return found
  const values = [tenantId, events.map(({ id }) => id), events.map(({ createdAt }) => createdAt), first, last] as const
  // Up to 10,000 pairs of an event and a subscription are looked for.
  const isSlow = webhooks > FEW_WEBHOOKS && events.length > FEW_EVENTS
  const rows = await db.run(selectDeliveries, [...values], isSlow ? { connection: 'slow' } : {})
  for (const row of rows) {
    const { attempts: _, ...delivery } = deliveryOf(row)
    found.get(row.event_id)?.push(delivery)
  }
  return found
}
