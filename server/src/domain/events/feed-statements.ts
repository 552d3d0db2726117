import { statement } from '../../database/statements/statement.ts'
import { eventId } from './event-id.ts'
import { readableUpTo } from './feed-horizon.ts'

/** What a page is read from: `after` is the position that the page before it reached, in the order of the page. */
export type FeedRange = [tenantId: number, after: string, server: string, final: number, latest: number]

interface Read {
  /** Without events there is one row with the position reached. */
  body: string | null
  up_to: number | null
}

export interface Look {
  /** Null when no event matched. */
  bodies: string[] | null
  looked_at: number
  /** The last event that was looked at, in the order of the page. */
  last_id: string | null
  up_to: number | null
}

type LookValues = [...FeedRange, topic: string | undefined, since: Date | undefined, until: Date | undefined, limit: number]

/** Events read by one statement to find those that match a filter. */
export const EVENTS_A_LOOK = 5_000

const READABLE = `readable as materialized (
     select ${readableUpTo({ server: '$3', final: '$4', latest: '$5' })} as up_to
   )`
const UP_TO = `(select ${eventId('up_to')} from readable)`
const UP_TO_OF_TOPIC = `(select $6::text || ' ' || ${eventId('up_to')} from readable)`

/** The events of the topic `$6`, as the index holds them: by topic and id in one text. */
const OF_TOPIC = `topic || ' ' || id`

/** How an order reads the events up to the last readable one. */
interface Order {
  /** After the names of statements. */
  suffix: string
  range: string
  rangeOfTopic: string
  /** Follows the column that is sorted by. */
  direction: string
  last: string
}

const OLDEST_FIRST: Order = {
  suffix: '',
  range: `tenant_id = $1 and id > $2 and id <= ${UP_TO}`,
  rangeOfTopic: `tenant_id = $1 and ${OF_TOPIC} > $6::text || ' ' || $2
     and ${OF_TOPIC} <= ${UP_TO_OF_TOPIC}`,
  direction: '',
  last: 'max(id)',
}

const NEWEST_FIRST: Order = {
  suffix: '_newest_first',
  range: `tenant_id = $1 and id < $2 and id <= ${UP_TO}`,
  rangeOfTopic: `tenant_id = $1 and ${OF_TOPIC} > $6::text || ' ' and ${OF_TOPIC} < $6::text || ' ' || $2
     and ${OF_TOPIC} <= ${UP_TO_OF_TOPIC}`,
  direction: ' desc',
  last: 'min(id)',
}

/** The statements that read the feed in an order. */
export interface FeedStatements {
  readAll: ReturnType<typeof readAll>
  readTopic: ReturnType<typeof readTopic>
  lookThroughAll: ReturnType<typeof lookThrough>
  lookThroughTopic: ReturnType<typeof lookThrough>
}

function readAll({ suffix, range, direction }: Order) {
  return statement<[...FeedRange, limit: number], Read>({
    name: `read_event_feed${suffix}`,
    lane: 'read',
    sql: `with ${READABLE}
   select e.body, r.up_to from readable r left join (
     select body from events where ${range} order by id${direction} limit $6
   ) e on true`,
  })
}

function readTopic({ suffix, rangeOfTopic, direction }: Order) {
  return statement<[...FeedRange, topic: string, limit: number], Read>({
    name: `read_event_feed_of_topic${suffix}`,
    lane: 'read',
    sql: `with ${READABLE}
   select e.body, r.up_to from readable r left join (
     select body from events where ${rangeOfTopic} order by ${OF_TOPIC}${direction} limit $7
   ) e on true`,
  })
}

// Whole days are excluded before events are counted, so that a period is found without reading the events outside of it.
function lookThrough(name: string, { suffix, direction, last }: Order, range: string, sortedBy: string) {
  return statement<LookValues, Look>({
    name: `${name}${suffix}`,
    lane: 'slow',
    sql: `with ${READABLE}, looked_at as materialized (
     select id, created_at from events
     where ${range}
       and created_at >= coalesce(date_trunc('day', $7::timestamptz), '-infinity')
       and created_at < coalesce(date_trunc('day', $8::timestamptz) + interval '1 day', 'infinity')
     order by ${sortedBy}${direction} limit ${EVENTS_A_LOOK}
   ), found as (
     select id, created_at from looked_at
     where created_at >= coalesce($7::timestamptz, '-infinity') and created_at < coalesce($8::timestamptz, 'infinity')
     order by id${direction} limit $9
   )
   select (
     select json_agg(e.body order by f.id${direction}) from found f cross join lateral (
       select body from events where tenant_id = $1 and id = f.id and created_at = f.created_at limit 1
     ) e
   ) as bodies, count(*) as looked_at, ${last} as last_id, (select up_to from readable) as up_to from looked_at`,
  })
}

const statementsFor = (order: Order): FeedStatements => ({
  readAll: readAll(order),
  readTopic: readTopic(order),
  // The parameter has no use, but must have a type.
  lookThroughAll: lookThrough('look_through_event_feed', order, `${order.range} and $6::text is null`, 'id'),
  lookThroughTopic: lookThrough('look_through_event_feed_of_topic', order, order.rangeOfTopic, OF_TOPIC),
})

export const FEED = { asc: statementsFor(OLDEST_FIRST), desc: statementsFor(NEWEST_FIRST) }

/** The position before the first page. Ids of events are `evt_` and hexadecimal digits. */
export const START = { asc: '', desc: 'evt_g' }
