import type { DeliverySummary } from './find-deliveries.ts'
import type { Place } from './in-order.ts'
import { type Kind, rankOf } from './kinds.ts'
import { inMilliseconds, microsecondsOf } from './times.ts'

/** Rows of texts: the columns of their query. */
type Rows = readonly (readonly (string | null)[])[]

/** The lists of an order's page. What is not asked for is missing. */
export interface Lists {
  id: number
  created_at: string
  order_tenant_id: string
  warehouse_id: number
  items_count: number
  total_quantity: number
  states: Rows
  flows: Rows | null
  shipments?: Rows | null
  returns?: Rows | null
  calls?: Rows
  movements?: Rows | null
  products?: Rows
  events?: Rows
  reservations?: Rows
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
type Values = readonly any[]

const padded = (id: string): string => id.padStart(16, '0')
const text = (value: string | null): string => (value === null ? 'null' : JSON.stringify(value))
const NONE: Rows = []

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
  for (const values of (lists.calls ?? NONE).toSorted(failedFirst)) entries.push(callOf(values))
  for (const values of lists.states ?? NONE) entries.push(stateOf(values))
  for (const values of lists.flows ?? NONE) addFlow(entries, values)
  for (const values of lists.shipments ?? NONE) addShipment(entries, values)
  for (const values of lists.returns ?? NONE) addReturn(entries, values)
  addMovements(entries, lists)
  for (const values of lists.reservations ?? NONE)
    entries.push(reservationOf(values[0] as string, values[1] as string, values[2] as string))
  for (const values of lists.events ?? NONE) addEvent(entries, values)
  return entries
}

function createdOf(lists: Lists): TimelineEntry {
  const data = (): string =>
    `{"order_tenant_id":${text(lists.order_tenant_id)},"warehouse_id":${lists.warehouse_id},"items_count":${lists.items_count},"total_quantity":${lists.total_quantity}}`
  return { at: lists.created_at, rank: RANKS.created, id: `created_${lists.id}`, data }
}

function callOf(values: Values): TimelineEntry {
  const data = (): string =>
    `{"operation":${text(values[2])},"key_name":${text(values[3])},"address":${text(values[4])},"request_id":${text(values[5])},"error":${text(values[6])}}`
  return { at: inMilliseconds(values[0]), rank: RANKS.call, id: `call_${values[1]}`, data }
}

function stateOf(values: Values): TimelineEntry {
  const data = (): string =>
    `{"state_id":${values[2]},"previous_state_id":${values[3]},"by":${text(values[4])},"reason":${text(values[5])}}`
  return { at: inMilliseconds(values[0]), rank: RANKS.state, id: `state_${padded(values[1])}`, data }
}

function addFlow(entries: TimelineEntry[], values: Values): void {
  const id = values[1]
  const data = (state: string, items: number, quantity: number, reason: string | null): string =>
    `{"flow_id":${id},"batch_id":${values[2]},"slot":${values[3]},"state":${text(state)},"operator_email":${text(values[4])},"items_picked":${items},"total_quantity_picked":${quantity},"reason":${text(reason)}}`
  const add = (change: string, at: string, ofChange: () => string): void => {
    entries.push({ at: inMilliseconds(at), rank: RANKS.flow, id: `flow_${id}_${change}`, data: ofChange })
  }
  add('start', values[0], () => data('started', 0, 0, null))
  if (values[7] !== null) add('end', values[7], () => data(values[8], values[5], Number(values[6]), values[9]))
}

function addMovements(entries: TimelineEntry[], lists: Lists): void {
  const names = new Map(lists.products as [id: string, name: string][] | undefined)
  for (const values of lists.movements ?? NONE) entries.push(movementOf(values, names, lists.id))
}

function movementOf(values: Values, names: ReadonlyMap<string, string>, order: number): TimelineEntry {
  const at = inMilliseconds(values[0])
  const data = (): string => {
    const user = values[9] === null ? '' : `,"user_id":${values[9]}`
    const flow = values[10] === null ? '' : `,"flow_id":${values[10]}`
    const pick = values[11] === null ? '' : `,"pick_id":${text(values[11])}`
    const product = `"product_id":${values[2]},"product_name":${text(names.get(values[2]) as string)}`
    const change = `"quantity":${Number(values[5])},"previous_quantity":${Number(values[6])},"new_quantity":${Number(values[7])},"reason":${text(values[8])}`
    return `{"id":"${values[1]}",${product},"location_id":${text(values[3])},"movement_type":${text(values[4])},${change}${user},"order_id":${order},"created_at":"${at}"${flow}${pick}}`
  }
  return { at, rank: RANKS.movement, id: `movement_${microsecondsOf(values[0])}_${padded(values[1])}`, data }
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

function addEvent(entries: TimelineEntry[], values: Values): void {
  const createdAt: string = values[0]
  const id: string = values[1]
  const data = (deliveries: readonly DeliverySummary[] | undefined): string =>
    `{"event_id":"${id}","event":${text(values[2])},"deliveries":${deliveries === undefined ? '[]' : JSON.stringify(deliveries)}}`
  entries.push({
    at: inMilliseconds(createdAt),
    rank: RANKS.event,
    id: `event_${microsecondsOf(createdAt)}_${id}`,
    event: { id, createdAt },
    data,
  })
  if (values[3] !== null) entries.push(reservationOf(createdAt, id, values[3]))
}

function addShipment(entries: TimelineEntry[], values: Values): void {
  addChanges(entries, 'shipment', values, [
    [values[0], 'open', null],
    [values[3], 'shipped', 'open'],
    [values[4], 'delivered', 'shipped'],
    [values[5], 'cancelled', values[3] === null ? 'open' : 'shipped'],
  ])
}

function addReturn(entries: TimelineEntry[], values: Values): void {
  const previous = values[3] === null ? 'expected' : 'receiving'
  addChanges(entries, 'return', values, [
    [values[0], 'expected', null],
    [values[3], 'receiving', 'expected'],
    [values[4], 'closed', previous],
    [values[5], 'cancelled', previous],
  ])
}

function addChanges(
  entries: TimelineEntry[],
  kind: 'shipment' | 'return',
  values: Values,
  changes: readonly [at: string | null, state: string, previous: string | null][],
): void {
  for (const [at, state, previous] of changes) {
    if (at === null) continue
    const data = (): string =>
      `{"id":${values[1]},"reference":${text(values[2])},"state":"${state}","previous_state":${text(previous)}}`
    entries.push({ at: inMilliseconds(at), rank: RANKS[kind], id: `${kind}_${values[1]}_${state}`, data })
  }
}
