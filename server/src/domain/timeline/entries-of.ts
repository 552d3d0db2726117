import type { DeliverySummary } from './find-deliveries.ts'
import type { Place } from './in-order.ts'
import { type Kind, rankOf } from './kinds.ts'
import { inMilliseconds, microsecondsOf } from './times.ts'

/** The lists of an order's page: the texts of JSON arrays, one after the other, each with the values of its query. What is not asked for is missing. */
export interface Lists {
  id: number
  created_at: string
  order_tenant_id: string
  warehouse_id: number
  items_count: number
  total_quantity: number
  states: string
  flows: string | null
  shipments: string | null
  returns: string | null
  calls?: string
  movements?: string | null
  products?: string
  events?: string
  reservations?: string
  has_webhooks?: boolean
}

/** An entry, and what sorts it. */
export interface TimelineEntry extends Place {
  /** Of an event, its id and exact time. */
  event?: { id: string; createdAt: string }
  /** The JSON text of its data, with the deliveries of an event. */
  data(deliveries?: readonly DeliverySummary[]): string
}

// Each kind has values of its own, in the order of its query.
// oxlint-disable-next-line typescript/no-explicit-any
type Values = any[]

const padded = (id: number): string => String(id).padStart(16, '0')
const text = (value: string | null): string => JSON.stringify(value)
const valuesOf = (list: string | null | undefined): Values[] => (list ? (JSON.parse(`[${list}]`) as Values[]) : [])

const RANKS = {
  call: rankOf('call'),
  created: rankOf('created'),
  state: rankOf('state'),
  flow: rankOf('flow'),
  movement: rankOf('movement'),
  reservation: rankOf('reservation'),
  shipment: rankOf('shipment'),
  return: rankOf('return'),
  event: rankOf('event'),
} satisfies Record<Kind, number>

/** Of the entries of a call, one that has its error is to be the first. */
const failedFirst = (a: Values, b: Values): number => Number(a[6] === null) - Number(b[6] === null)

/** The entries of lists, in no order. A call is among them under each of its names. */
export function entriesOf(lists: Lists): TimelineEntry[] {
  const entries = [createdOf(lists)]
  for (const values of valuesOf(lists.calls).sort(failedFirst)) entries.push(callOf(values))
  for (const values of valuesOf(lists.states)) entries.push(stateOf(values))
  for (const values of valuesOf(lists.flows)) addFlow(entries, values)
  for (const values of valuesOf(lists.shipments)) addShipment(entries, values)
  for (const values of valuesOf(lists.returns)) addReturn(entries, values)
  const movements = valuesOf(lists.movements)
  const names = movements.length === 0 ? undefined : new Map(valuesOf(lists.products) as [number, string][])
  for (const values of movements) entries.push(movementOf(values, names?.get(values[2]) as string, lists.id))
  for (const [at, id, data] of valuesOf(lists.reservations)) entries.push(reservationOf(at, id, data))
  for (const [at, id, topic, data] of valuesOf(lists.events)) {
    entries.push(eventOf(at, id, topic))
    if (data !== null) entries.push(reservationOf(at, id, data))
  }
  return entries
}

function createdOf({ created_at, id, order_tenant_id, warehouse_id, items_count, total_quantity }: Lists): TimelineEntry {
  return {
    at: created_at,
    rank: RANKS.created,
    id: `created_${id}`,
    data: () =>
      `{"order_tenant_id":${text(order_tenant_id)},"warehouse_id":${warehouse_id},"items_count":${items_count},"total_quantity":${total_quantity}}`,
  }
}

function callOf([at, id, operation, keyName, address, requestId, error]: Values): TimelineEntry {
  return {
    at: inMilliseconds(at),
    rank: RANKS.call,
    id: `call_${id}`,
    data: () =>
      `{"operation":${text(operation)},"key_name":${text(keyName)},"address":${text(address)},"request_id":${text(requestId)},"error":${text(error)}}`,
  }
}

function stateOf([at, id, state, previous, by, reason]: Values): TimelineEntry {
  return {
    at: inMilliseconds(at),
    rank: RANKS.state,
    id: `state_${padded(id)}`,
    data: () => `{"state_id":${state},"previous_state_id":${previous},"by":${text(by)},"reason":${text(reason)}}`,
  }
}

function addFlow(
  entries: TimelineEntry[],
  [startedAt, id, batch, slot, operator, items, quantity, endedAt, state, reason]: Values,
): void {
  const data = (stateThen: string, itemsThen: number, quantityThen: number, reasonThen: string | null) => (): string =>
    `{"flow_id":${id},"batch_id":${batch},"slot":${slot},"state":${text(stateThen)},"operator_email":${text(operator)},"items_picked":${itemsThen},"total_quantity_picked":${quantityThen},"reason":${text(reasonThen)}}`
  const { flow: rank } = RANKS
  entries.push({ at: inMilliseconds(startedAt), rank, id: `flow_${id}_start`, data: data('started', 0, 0, null) })
  if (endedAt !== null)
    entries.push({ at: inMilliseconds(endedAt), rank, id: `flow_${id}_end`, data: data(state, items, quantity, reason) })
}

function movementOf(
  [at, id, product, location, type, quantity, previous, next, reason, user, flow, pick]: Values,
  name: string,
  order: number,
): TimelineEntry {
  const time = inMilliseconds(at)
  return {
    at: time,
    rank: RANKS.movement,
    id: `movement_${microsecondsOf(at)}_${padded(id)}`,
    data: () =>
      `{"id":"${id}","product_id":${product},"product_name":${text(name)},"location_id":${text(location)},"movement_type":${text(type)},"quantity":${quantity},"previous_quantity":${previous},"new_quantity":${next},"reason":${text(reason)}${user === null ? '' : `,"user_id":${user}`},"order_id":${order},"created_at":"${time}"${flow === null ? '' : `,"flow_id":${flow}`}${pick === null ? '' : `,"pick_id":${text(pick)}`}}`,
  }
}

/** The data is the text that its event has. */
function reservationOf(at: string, id: string, data: string): TimelineEntry {
  return {
    at: inMilliseconds(at),
    rank: RANKS.reservation,
    id: `reservation_${microsecondsOf(at)}_${id}`,
    data: () => data,
  }
}

function eventOf(createdAt: string, id: string, topic: string): TimelineEntry {
  return {
    at: inMilliseconds(createdAt),
    rank: RANKS.event,
    id: `event_${microsecondsOf(createdAt)}_${id}`,
    event: { id, createdAt },
    data: (deliveries) =>
      `{"event_id":"${id}","event":${text(topic)},"deliveries":${deliveries === undefined ? '[]' : JSON.stringify(deliveries)}}`,
  }
}

function addShipment(entries: TimelineEntry[], [at, id, reference, shippedAt, deliveredAt, cancelledAt]: Values): void {
  addChanges(entries, 'shipment', id, reference, [
    [at, 'open', null],
    [shippedAt, 'shipped', 'open'],
    [deliveredAt, 'delivered', 'shipped'],
    [cancelledAt, 'cancelled', shippedAt === null ? 'open' : 'shipped'],
  ])
}

function addReturn(entries: TimelineEntry[], [at, id, reference, receivedAt, closedAt, cancelledAt]: Values): void {
  const previous = receivedAt === null ? 'expected' : 'receiving'
  addChanges(entries, 'return', id, reference, [
    [at, 'expected', null],
    [receivedAt, 'receiving', 'expected'],
    [closedAt, 'closed', previous],
    [cancelledAt, 'cancelled', previous],
  ])
}

function addChanges(
  entries: TimelineEntry[],
  kind: 'shipment' | 'return',
  id: number,
  reference: string | null,
  changes: readonly [at: string | null, state: string, previous: string | null][],
): void {
  for (const [at, state, previous] of changes)
    if (at !== null)
      entries.push({
        at: inMilliseconds(at),
        rank: RANKS[kind],
        id: `${kind}_${id}_${state}`,
        data: () => `{"id":${id},"reference":${text(reference)},"state":"${state}","previous_state":${text(previous)}}`,
      })
}
