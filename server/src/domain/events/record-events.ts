import { askedForBy } from '../../procedures/event-topics.ts'
import { EVENT_TIME, isoTimestamp } from './event-data.ts'
import { eventId } from './event-id.ts'

const ORDER_ID = '"order_id":'

/** Of the topics whose data never has an order's id. Looking for it in each body takes a twentieth of a call that changes many levels. */
export const WITHOUT_ORDER = ['stock/', 'product/']

/** SQL for the time of an event and for its text. */
const OWN_TIME = { at: 'clock_timestamp()', text: isoTimestamp('e.created_at') }

interface Options {
  /** Whether all events have the time `EVENT_TIME`, whose CTE is before these. */
  areOfOneTime?: boolean
  /** Whether none of the events is of a topic with an order's id. */
  areWithoutOrders?: boolean
}

/**
 * CTEs for a data-modifying statement that record the events of the relation `source` (columns `position`, `topic` and `data` as from
 * `eventData`) in the order of `position`, and put those with a subscription of the tenant `$1` into the outbox. The events are part of
 * the statement: there is no change without its event, and no event without its change. An event whose data has an order's id is also
 * listed in `order_events`, for the timeline of the order.
 *
 * `data` must come from rows that the transaction has locked: an event takes its number while its record is locked, so the events of one
 * record are numbered in the order they happen.
 */
export function recordEvents(source: string, { areOfOneTime = false, areWithoutOrders = false }: Options = {}): string {
  const time = areOfOneTime ? EVENT_TIME : OWN_TIME
  return `
recorded_event as (
  insert into events (tenant_id, id, topic, created_at, body)
  select $1, e.id, e.topic, e.created_at,
    '{"id":"' || e.id || '","event":"' || e.topic || '","created_at":"' || ${time.text} || '","data":' || e.data || '}'
  from (
    select s.topic, s.data, ${time.at} as created_at,
      -- The transaction has its number before it takes one for an event: see FeedHorizon.
      ${eventId(`case when (select pg_current_xact_id()) is not null then nextval('event_sequence') end`)} as id
    from (select topic, data from ${source} order by position) s
  ) e
  returning tenant_id, id, topic, created_at, body
), queued_event as (
  insert into event_outbox (tenant_id, event_id, event_created_at, topic)
  select r.tenant_id, r.id, r.created_at, r.topic from recorded_event r
  -- Checked once: without a subscription, the events need no further lookup.
  where exists (select from webhook_subscriptions where tenant_id = $1)
    and exists (select from webhook_subscriptions w where w.tenant_id = r.tenant_id and w.events && ${askedForBy('r.topic')})
)${areWithoutOrders ? '' : OF_ORDERS}`
}

const OF_ORDERS = `, event_of_order as (
  insert into order_events (tenant_id, order_id, created_at, event_id, topic, data)
  select r.tenant_id, o.id, r.created_at, r.id, r.topic,
    case when r.topic = 'reservation/updated' then substr(r.body, strpos(r.body, '"data":') + 7, length(r.body) - strpos(r.body, '"data":') - 7) end
  from recorded_event r cross join lateral (
    -- In a text, the quotation mark after the name would have a backslash before it. A regular expression takes ten times as long.
    select nullif(rtrim(split_part(substr(r.body, place + ${ORDER_ID.length}, 20), ',', 1), '}'), 'null')::bigint as id
    from strpos(r.body, '${ORDER_ID}') place where place > 0
  ) o
  where ${WITHOUT_ORDER.map((topics) => `not starts_with(r.topic, '${topics}')`).join(' and ')} and o.id is not null
)`
