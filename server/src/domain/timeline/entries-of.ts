import type { DeliverySummary } from './find-deliveries.ts'
import type { Place } from './in-order.ts'
import { type Kind, rankOf } from './kinds.ts'
import { rowsOf } from './rows.ts'
import { inMilliseconds, microsecondsOf } from './times.ts'

/** The lists of an order's page: see `timeline-sources.ts`. What is not asked for is missing. */
export interface Lists {
  created: string
  states: string
  flows: string | null
  shipments?: string | null
  returns?: string | null
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

/** The fields of a row, in the order of its query. */
// Each kind has fields of its own.
// oxlint-disable-next-line typescript/no-explicit-any
type Fields = readonly any[]

/** `2.000` and `2.500`, as numbers of JSON are written. */
const quantity = (field: string): string => (field.endsWith('.000') ? field.slice(0, -4) : String(Number(field)))
const padded = (id: string): string => id.padStart(16, '0')
/** Texts with anything else may need escapes. */
const PLAIN = /^[ !#-[\]-~]*$/
/** As JSON, of which most texts need but the quotes: a seventh of the time that the entries of a page take. */
const text = (value: string): string => (PLAIN.test(value) ? `"${value}"` : JSON.stringify(value))
/** For `orNull`. */
const idOrNull = (field: string): string => (field === '' ? 'null' : field)
/** A word of the service, which needs no escapes. */
const wordOrNull = (field: string): string => (field === '' ? 'null' : `"${field}"`)
/** For `textOrNull`. */
const textOrNull = (field: string): string => (field === '' ? 'null' : text(field.slice(1)))

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
const failedFirst = (a: Fields, b: Fields): number => Number(a[6] === '') - Number(b[6] === '')

/** The entries of lists, in no order. A call is among them under each of its names. */
export function entriesOf(lists: Lists): TimelineEntry[] {
  const order = rowsOf(lists.created, 6)[0] as Fields
  const entries = [createdOf(order)]
  for (const fields of rowsOf(lists.calls, 7).toSorted(failedFirst)) entries.push(callOf(fields))
  for (const fields of rowsOf(lists.states, 6)) entries.push(stateOf(fields))
  for (const fields of rowsOf(lists.flows, 10)) addFlow(entries, fields)
  for (const fields of rowsOf(lists.shipments, 6)) addShipment(entries, fields)
  for (const fields of rowsOf(lists.returns, 6)) addReturn(entries, fields)
  addMovements(entries, lists, order[1])
  for (const fields of rowsOf(lists.reservations, 3)) entries.push(reservationOf(...(fields as [string, string, string])))
  for (const fields of rowsOf(lists.events, 4)) addEvent(entries, fields)
  return entries
}

function createdOf(fields: Fields): TimelineEntry {
  const data = (): string =>
    `{"order_tenant_id":${text(fields[2])},"warehouse_id":${fields[3]},"items_count":${fields[4]},"total_quantity":${fields[5]}}`
  return { at: inMilliseconds(fields[0]), rank: RANKS.created, id: `created_${fields[1]}`, data }
}

function callOf(fields: Fields): TimelineEntry {
  const data = (): string =>
    `{"operation":"${fields[2]}","key_name":${text(fields[3])},"address":${text(fields[4])},"request_id":${text(fields[5])},"error":${wordOrNull(fields[6])}}`
  return { at: inMilliseconds(fields[0]), rank: RANKS.call, id: `call_${fields[1]}`, data }
}

function stateOf(fields: Fields): TimelineEntry {
  const data = (): string =>
    `{"state_id":${fields[2]},"previous_state_id":${fields[3]},"by":${text(fields[4])},"reason":${textOrNull(fields[5])}}`
  return { at: inMilliseconds(fields[0]), rank: RANKS.state, id: `state_${padded(fields[1])}`, data }
}

function addFlow(entries: TimelineEntry[], fields: Fields): void {
  const id = fields[1]
  const data = (state: string, items: string, picked: string, reason: string): string =>
    `{"flow_id":${id},"batch_id":${idOrNull(fields[2])},"slot":${idOrNull(fields[3])},"state":"${state}","operator_email":${text(fields[4])},"items_picked":${items},"total_quantity_picked":${picked},"reason":${textOrNull(reason)}}`
  const add = (change: string, at: string, ofChange: () => string): void => {
    entries.push({ at: inMilliseconds(at), rank: RANKS.flow, id: `flow_${id}_${change}`, data: ofChange })
  }
  add('start', fields[0], () => data('started', '0', '0', ''))
  if (fields[7] !== '') add('end', fields[7], () => data(fields[8], fields[5], quantity(fields[6]), fields[9]))
}

function addMovements(entries: TimelineEntry[], lists: Lists, order: string): void {
  // A map of texts would put each into V8's table of all names of properties, which takes longer than all else here.
  const names = new Map<number, string>()
  for (const [id, name] of rowsOf(lists.products, 2)) names.set(Number(id), name as string)
  for (const fields of rowsOf(lists.movements, 12)) entries.push(movementOf(fields, names, order))
}

function movementOf(fields: Fields, names: ReadonlyMap<number, string>, order: string): TimelineEntry {
  const at = inMilliseconds(fields[0])
  const data = (): string => {
    const user = fields[9] === '' ? '' : `,"user_id":${fields[9]}`
    const flow = fields[10] === '' ? '' : `,"flow_id":${fields[10]}`
    const pick = fields[11] === '' ? '' : `,"pick_id":${text(fields[11])}`
    const product = `"product_id":${fields[2]},"product_name":${text(names.get(Number(fields[2])) as string)}`
    const change = `"quantity":${quantity(fields[5])},"previous_quantity":${quantity(fields[6])},"new_quantity":${quantity(fields[7])},"reason":${textOrNull(fields[8])}`
    return `{"id":"${fields[1]}",${product},"location_id":${text(fields[3])},"movement_type":"${fields[4]}",${change}${user},"order_id":${order},"created_at":"${at}"${flow}${pick}}`
  }
  return { at, rank: RANKS.movement, id: `movement_${microsecondsOf(fields[0])}_${padded(fields[1])}`, data }
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

function addEvent(entries: TimelineEntry[], fields: Fields): void {
  const createdAt: string = fields[0]
  const id: string = fields[1]
  const data = (deliveries: readonly DeliverySummary[] | undefined): string =>
    `{"event_id":"${id}","event":"${fields[2]}","deliveries":${deliveries === undefined ? '[]' : JSON.stringify(deliveries)}}`
  entries.push({
    at: inMilliseconds(createdAt),
    rank: RANKS.event,
    id: `event_${microsecondsOf(createdAt)}_${id}`,
    event: { id, createdAt },
    data,
  })
  if (fields[3] !== '') entries.push(reservationOf(createdAt, id, fields[3]))
}

function addShipment(entries: TimelineEntry[], fields: Fields): void {
  addChanges(entries, 'shipment', fields, [
    [fields[0], 'open', ''],
    [fields[3], 'shipped', 'open'],
    [fields[4], 'delivered', 'shipped'],
    [fields[5], 'cancelled', fields[3] === '' ? 'open' : 'shipped'],
  ])
}

function addReturn(entries: TimelineEntry[], fields: Fields): void {
  const previous = fields[3] === '' ? 'expected' : 'receiving'
  addChanges(entries, 'return', fields, [
    [fields[0], 'expected', ''],
    [fields[3], 'receiving', 'expected'],
    [fields[4], 'closed', previous],
    [fields[5], 'cancelled', previous],
  ])
}

function addChanges(
  entries: TimelineEntry[],
  kind: 'shipment' | 'return',
  fields: Fields,
  changes: readonly [at: string, state: string, previous: string][],
): void {
  for (const [at, state, previous] of changes) {
    if (at === '') continue
    const data = (): string =>
      `{"id":${fields[1]},"reference":${textOrNull(fields[2])},"state":"${state}","previous_state":${wordOrNull(previous)}}`
    entries.push({ at: inMilliseconds(at), rank: RANKS[kind], id: `${kind}_${fields[1]}_${state}`, data })
  }
}
