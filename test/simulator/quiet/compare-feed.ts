import type { Client } from '../client.ts'
import { Finding } from '../client.ts'
import type { ExpectedEvent } from '../client-state.ts'
import { difference } from '../difference.ts'
import type { Data } from '../operation.ts'
import { ALL_TOPICS, type World } from '../world.ts'
import { sameRows } from './same-rows.ts'

/** The records that events are about, by topic: as `emit` names them. */
const RECORDS: Record<string, (data: Data) => string> = {
  order: ({ order_id }) => `order:${order_id}`,
  flow: ({ flow_id }) => `flow:${flow_id}`,
  product: ({ product_id }) => `product:${product_id}`,
  'stock/updated': ({ product_id, location_id }) => `level:${product_id}/${location_id}`,
  'stock/movement_created': ({ product_id }) => `movements:${product_id}`,
  'stock/low_alert': ({ product_id }) => `low:${product_id}`,
  reservation: ({ order_id }) => `reservation:${order_id}`,
  inbound: ({ inbound_id }) => `inbound:${inbound_id}`,
  return: ({ return_id }) => `return:${return_id}`,
  count: ({ count_id }) => `count:${count_id}`,
  shipment: ({ shipment_id }) => `shipment:${shipment_id}`,
}

const recordOf = ({ event, data }: Data): string =>
  (RECORDS[event] ?? RECORDS[event.split('/')[0]] ?? (() => `unknown topic ${event}`))(data)

/** Reads the events since the last quiet point: in order, none twice. */
export async function readFeed(world: World): Promise<Data[]> {
  const topics = ALL_TOPICS.map((topic) => `event=${encodeURIComponent(topic)}`).join('&')
  const events: Data[] = []
  for (;;) {
    const { cursor } = world.feed
    const page = await world.read(`/events?${topics}&limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`)
    for (const event of page.events) {
      if (world.feed.ids.has(event.id)) throw new Finding(`${world.name}: the feed has ${event.id} twice`)
      if (world.feed.cursor !== undefined && event.id <= world.feed.cursor)
        throw new Finding(`${world.name}: the feed has ${event.id} after ${world.feed.cursor}`)
      world.feed.ids.add(event.id)
      world.feed.cursor = event.id
      events.push(event)
    }
    if (page.events.length === 0 || page.next_cursor === null) return events
  }
}

/** The first difference between the events that the client's calls must have sent and those of the feed. */
export function compareEvents({ state }: Client, events: readonly Data[]): string | undefined {
  const expected = Map.groupBy(state.events, ({ record }) => record)
  const actual = Map.groupBy(events, recordOf)
  for (const [record, wanted] of expected) {
    const given = actual.get(record) ?? []
    const found = isUnordered(record) ? compareUnordered(record, wanted, given) : compareOrdered(record, wanted, given)
    if (found !== undefined) return found
  }
  return undefined
}

/** Movements of one call may have any order, and so may the picks that the end of a flow puts back. */
const isUnordered = (record: string): boolean => record.startsWith('movements:') || record.startsWith('level:')

function compareOrdered(record: string, wanted: readonly ExpectedEvent[], given: readonly Data[]): string | undefined {
  for (const [index, { topic, data }] of wanted.entries()) {
    const found = difference({ event: topic, data }, given[index], `event ${index} of ${record}`)
    if (found !== undefined) return found
  }
  const more = given[wanted.length]
  return more === undefined ? undefined : `${record} has an event too many: ${JSON.stringify(more)}`
}

function compareUnordered(record: string, wanted: readonly ExpectedEvent[], given: readonly Data[]): string | undefined {
  const brief = ({ data: { type, change, reason } }: { data: Data }): unknown[] => [type, change, reason]
  return (
    sameRows(
      `events of ${record}`,
      wanted.map(brief),
      given.map((event) => ({ data: brief(event) })).map(({ data }) => data),
    ) ?? brokenLevel(record, given)
  )
}

function brokenLevel(record: string, given: readonly Data[]): string | undefined {
  if (!record.startsWith('level:')) return undefined
  for (const [index, { id, data }] of given.entries()) {
    const before = given[index - 1]?.data.quantity ?? data.previous_quantity
    if (data.previous_quantity !== before || data.previous_quantity + data.change !== data.quantity)
      return `${record}: event ${id} begins with ${data.previous_quantity}, and the one before left ${before}`
  }
  return undefined
}

/** Events of no record of any client: another tenant's, or of a call that nobody made. */
export function strayEvent(world: World, events: readonly Data[]): string | undefined {
  const known = new Set(world.clients.flatMap(({ state }) => state.events.map(({ record }) => record)))
  const shared = new Set(
    world.clients.flatMap(
      ({
        state: {
          shared: { product, places },
        },
      }) => [product, ...Object.values(places.product)],
    ),
  )
  const isShared = ({ data }: Data): boolean =>
    shared.has(data.product_id) || [data.reference, data.order_tenant_id].some((name) => String(name).startsWith('shared '))
  const stray = events.find((event) => !known.has(recordOf(event)) && !isShared(event))
  return stray && `an event that no call has sent: ${JSON.stringify(stray)}`
}
