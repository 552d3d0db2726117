import { statement } from '../../database/statements/statement.ts'
import { isPublished } from '../../procedures/event-topics.ts'
import { eventId } from './event-id.ts'
import { readableUpTo } from './feed-horizon.ts'

/** What a page is read from: `after` is the position that the page before it reached, in the order of the page. */
export type FeedRange = [tenantId: number, after: string, server: string, final: number, latest: number]

interface Read {
  /** Without events there is one row with the position reached. */
  body: string | null
  up_to: number | null
}

interface ReadOfAll extends Read {
  /** Of the last event of a look: others may follow. */
  last_id: string | null
}

export interface Look {
  /** Null when no event matched. */
  bodies: string[] | null
  looked_at: number
  /** The last event that was looked at, in the order of the page. */
  last_id: string | null
  up_to: number | null
}

type LookValues<Topic> = [...FeedRange, topic: Topic, since: Date | undefined, until: Date | undefined, limit: number]

/** Events read by one statement, a look, to find those that match a filter. */
export const EVENTS_PER_LOOK = 5_000

/**
 * The limit of a look, as a subquery: then the plan is made for an unknown limit, and reads the events in order. For 5,000, it reads and sorts all events of
 * the range when a database has many tenants: of 100,000, a page took 260 ms instead of 0.4.
 */
const LOOK_LIMIT = `(select ${EVENTS_PER_LOOK})`

const READABLE = `readable as materialized (
     select ${readableUpTo({ server: '$3', final: '$4', latest: '$5' })} as up_to
   )`
const UP_TO = `(select ${eventId('up_to')} from readable)`

/** The events of a topic, as the index holds them: by topic and id in one text. */
export const OF_TOPIC = `topic || ' ' || id`

/** Events of the topics `$6`, in which `*` stands for those of the published specification. */
const IS_ASKED_FOR = `(topic = any ($6::text[]) or '*' = any ($6) and ${isPublished('topic')})`

/** How an order reads the events up to the last readable one. */
interface Order {
  /** After the names of statements. */
  suffix: string
  range: string
  rangeOfTopic: (topic: string) => string
  /** Follows the column that is sorted by. */
  direction: string
  last: string
}

const OLDEST_FIRST: Order = {
  suffix: '',
  range: `tenant_id = $1 and id > $2 and id <= ${UP_TO}`,
  rangeOfTopic: (topic) => `tenant_id = $1 and ${OF_TOPIC} > ${topic} || ' ' || $2
     and ${OF_TOPIC} <= ${topic} || ' ' || ${UP_TO}`,
  direction: '',
  last: 'max(id)',
}

const NEWEST_FIRST: Order = {
  suffix: '_newest_first',
  range: `tenant_id = $1 and id < $2 and id <= ${UP_TO}`,
  rangeOfTopic: (topic) => `tenant_id = $1 and ${OF_TOPIC} > ${topic} || ' ' and ${OF_TOPIC} < ${topic} || ' ' || $2
     and ${OF_TOPIC} <= ${topic} || ' ' || ${UP_TO}`,
  direction: ' desc',
  last: 'min(id)',
}

/** The statements that read the feed in an order. */
export interface FeedStatements {
  readAll: ReturnType<typeof readAll>
  readTopic: ReturnType<typeof readTopic>
  readTopics: ReturnType<typeof readTopics>
  lookThroughAll: ReturnType<typeof lookThroughAll>
  lookThroughTopic: ReturnType<typeof lookThroughTopic>
}

/**
 * Ends at the last event of the page or of the look: this connection is shared, and there can be any number of events that are not asked for. The row of
 * the last one of the look has no body when it is such an event.
 */
function readAll({ suffix, range, direction }: Order) {
  return statement<[...FeedRange, topics: string[], limit: number], ReadOfAll>({
    name: `read_event_feed${suffix}`,
    connection: 'read',
    sql: `with ${READABLE}
   select e.body, e.last_id, r.up_to from readable r left join (
     select case when ${IS_ASKED_FOR} then body end as body, case when number = ${EVENTS_PER_LOOK} then id end as last_id from (
       select id, topic, body, row_number() over (order by id${direction}) as number from (
         select id, topic, body from events where ${range} order by id${direction} limit ${LOOK_LIMIT}
       ) e
     ) e
     where ${IS_ASKED_FOR} or number = ${EVENTS_PER_LOOK} order by id${direction} limit $7
   ) e on true`,
  })
}

function readTopic({ suffix, rangeOfTopic, direction }: Order) {
  return statement<[...FeedRange, topic: string, limit: number], Read>({
    name: `read_event_feed_of_topic${suffix}`,
    connection: 'read',
    sql: `with ${READABLE}
   select e.body, r.up_to from readable r left join (
     select body from events where ${rangeOfTopic('$6::text')} order by ${OF_TOPIC}${direction} limit $7
   ) e on true`,
  })
}

/** Reads each topic by itself, as far as the page may need it. */
function readTopics({ suffix, rangeOfTopic, direction }: Order) {
  return statement<[...FeedRange, topics: string[], limit: number], Read>({
    name: `read_event_feed_of_topics${suffix}`,
    connection: 'read',
    sql: `with ${READABLE}
   select e.body, r.up_to from readable r left join (
     select e.body from (select distinct name from unnest($6::text[]) t (name)) t cross join lateral (
       select id, body from events where ${rangeOfTopic('t.name')} order by ${OF_TOPIC}${direction} limit $7
     ) e
     order by e.id${direction} limit $7
   ) e on true`,
  })
}

// Whole days are excluded before events are counted, so that a period is found without reading the events outside of it.
function lookThrough({ direction, last }: Order, range: string, sortedBy: string, condition = 'true'): string {
  return `with ${READABLE}, looked_at as materialized (
     select id, created_at, topic from events
     where ${range}
       and created_at >= coalesce(date_trunc('day', $7::timestamptz), '-infinity')
       and created_at < coalesce(date_trunc('day', $8::timestamptz) + interval '1 day', 'infinity')
     order by ${sortedBy}${direction} limit ${LOOK_LIMIT}
   ), found as (
     select id, created_at from looked_at
     where created_at >= coalesce($7::timestamptz, '-infinity') and created_at < coalesce($8::timestamptz, 'infinity') and ${condition}
     order by id${direction} limit $9
   )
   select (
     select json_agg(e.body order by f.id${direction}) from found f cross join lateral (
       select body from events where tenant_id = $1 and id = f.id and created_at = f.created_at limit 1
     ) e
   ) as bodies, count(*) as looked_at, ${last} as last_id, (select up_to from readable) as up_to from looked_at`
}

function lookThroughAll(order: Order) {
  return statement<LookValues<string[]>, Look>({
    name: `look_through_event_feed${order.suffix}`,
    connection: 'slow',
    sql: lookThrough(order, order.range, 'id', IS_ASKED_FOR),
  })
}

function lookThroughTopic(order: Order) {
  return statement<LookValues<string>, Look>({
    name: `look_through_event_feed_of_topic${order.suffix}`,
    connection: 'slow',
    sql: lookThrough(order, order.rangeOfTopic('$6::text'), OF_TOPIC),
  })
}

const statementsFor = (order: Order): FeedStatements => ({
  readAll: readAll(order),
  readTopic: readTopic(order),
  readTopics: readTopics(order),
  lookThroughAll: lookThroughAll(order),
  lookThroughTopic: lookThroughTopic(order),
})

export const FEED = { asc: statementsFor(OLDEST_FIRST), desc: statementsFor(NEWEST_FIRST) }

/** The position before the first page. Ids of events are `evt_` and hexadecimal digits. */
export const START = { asc: '', desc: 'evt_g' }
