import type { DeliverySummary } from './find-deliveries.ts'
import type { SortKey } from './in-order.ts'
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
  webhooks?: number
}

/** An entry, and what sorts it. */
export interface TimelineEntry extends SortKey {
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
/** A field written by `orNull` of timeline-sources.ts: empty for null. */
const idOrNull = (field: string): string => (field === '' ? 'null' : field)
/** A word of the service, which needs no escapes. */
const wordOrNull = (field: string): string => (field === '' ? 'null' : `"${field}"`)
/** A field written by `textOrNull` of timeline-sources.ts: empty for null, otherwise the text after a `=`. */
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
const failedFirst = (a: Fields, b: Fields): number => Number(a.at(-1) === '') - Number(b.at(-1) === '')

/** The entries of lists, in no order. A call is among them under each of its names. */
export function entriesOf(lists: Lists): TimelineEntry[] {
  const order = rowsOf(lists.created, 6)[0] as Fields
  const entries = [createdOf(order)]
  for (const fields of rowsOf(lists.calls, 7).toSorted(failedFirst)) entries.push(callOf(fields))
  for (const fields of rowsOf(lists.states, 6)) entries.push(stateOf(fields))
  for (const fields of rowsOf(lists.flows, 11)) addFlow(entries, fields)
  for (const fields of rowsOf(lists.shipments, 6)) addShipment(entries, fields)
  for (const fields of rowsOf(lists.returns, 6)) addReturn(entries, fields)
  addMovements(entries, lists, order[1])
  for (const fields of rowsOf(lists.reservations, 3)) entries.push(reservationOf(fields))
  for (const fields of rowsOf(lists.events, 4)) addEvent(entries, fields)
  return entries
}

function createdOf([at, id, identifier, warehouseId, itemsCount, totalQuantity]: Fields): TimelineEntry {
  const data = (): string =>
    `{"order_tenant_id":${text(identifier)},"warehouse_id":${warehouseId},"items_count":${itemsCount},"total_quantity":${totalQuantity}}`
  return { at: inMilliseconds(at), rank: RANKS.created, id: `created_${id}`, data }
}

function callOf([at, id, operation, keyName, address, requestId, error]: Fields): TimelineEntry {
  const data = (): string =>
    `{"operation":"${operation}","key_name":${text(keyName)},"address":${text(address)},"request_id":${text(requestId)},"error":${wordOrNull(error)}}`
  return { at: inMilliseconds(at), rank: RANKS.call, id: `call_${id}`, data }
}

function stateOf([at, id, stateId, previousStateId, by, reason]: Fields): TimelineEntry {
  const data = (): string =>
    `{"state_id":${stateId},"previous_state_id":${previousStateId},"by":${text(by)},"reason":${textOrNull(reason)}}`
  return { at: inMilliseconds(at), rank: RANKS.state, id: `state_${padded(id)}`, data }
}

function addFlow(
  entries: TimelineEntry[],
  [startedAt, id, batchId, slot, operatorEmail, firstOperatorEmail, itemsPicked, quantityPicked, endedAt, state, reason]: Fields,
): void {
  const add = (change: string, at: string, dataOf: () => string): void => {
    entries.push({ at: inMilliseconds(at), rank: RANKS.flow, id: `flow_${id}_${change}`, data: dataOf })
  }
  const data = (changedTo: string, operator: string, items: string, picked: string, why: string): string =>
    `{"flow_id":${id},"batch_id":${idOrNull(batchId)},"slot":${idOrNull(slot)},"state":"${changedTo}","operator_email":${text(operator)},"items_picked":${items},"total_quantity_picked":${picked},"reason":${textOrNull(why)}}`
  add('start', startedAt, () => data('started', firstOperatorEmail || operatorEmail, '0', '0', ''))
  if (endedAt !== '') add('end', endedAt, () => data(state, operatorEmail, itemsPicked, quantity(quantityPicked), reason))
}

function addMovements(entries: TimelineEntry[], lists: Lists, order: string): void {
  // A map of texts would put each into V8's table of all names of properties, which takes longer than all else here.
  const names = new Map<number, string>()
  for (const [id, name] of rowsOf(lists.products, 2)) names.set(Number(id), name as string)
  for (const fields of rowsOf(lists.movements, 12)) entries.push(movementOf(fields, names, order))
}

function movementOf(
  [createdAt, id, productId, locationId, type, change, previous, next, reason, userId, flowId, pickId]: Fields,
  names: ReadonlyMap<number, string>,
  order: string,
): TimelineEntry {
  const at = inMilliseconds(createdAt)
  const data = (): string => {
    const user = userId === '' ? '' : `,"user_id":${userId}`
    const flow = flowId === '' ? '' : `,"flow_id":${flowId}`
    const pick = pickId === '' ? '' : `,"pick_id":${text(pickId)}`
    const product = `"product_id":${productId},"product_name":${text(names.get(Number(productId)) as string)}`
    const quantities = `"quantity":${quantity(change)},"previous_quantity":${quantity(previous)},"new_quantity":${quantity(next)}`
    return `{"id":"${id}",${product},"location_id":${text(locationId)},"movement_type":"${type}",${quantities},"reason":${textOrNull(reason)}${user},"order_id":${order},"created_at":"${at}"${flow}${pick}}`
  }
  return { at, rank: RANKS.movement, id: `movement_${microsecondsOf(createdAt)}_${padded(id)}`, data }
}

/** The data is the text that its event has. */
function reservationOf([at, id, data]: Fields): TimelineEntry {
  return {
    at: inMilliseconds(at),
    rank: RANKS.reservation,
    id: `reservation_${microsecondsOf(at)}_${id}`,
    data: () => data,
  }
}

function addEvent(entries: TimelineEntry[], [createdAt, id, topic, ofReservation]: Fields): void {
  const data = (deliveries: readonly DeliverySummary[] | undefined): string =>
    `{"event_id":"${id}","event":"${topic}","deliveries":${deliveries === undefined ? '[]' : JSON.stringify(deliveries)}}`
  entries.push({
    at: inMilliseconds(createdAt),
    rank: RANKS.event,
    id: `event_${microsecondsOf(createdAt)}_${id}`,
    event: { id, createdAt },
    data,
  })
  if (ofReservation !== '') entries.push(reservationOf([createdAt, id, ofReservation]))
}

function addShipment(entries: TimelineEntry[], [createdAt, id, reference, shippedAt, deliveredAt, cancelledAt]: Fields): void {
  addChanges(
    entries,
    'shipment',
    [id, reference],
    [
      [createdAt, 'open', ''],
      [shippedAt, 'shipped', 'open'],
      [deliveredAt, 'delivered', 'shipped'],
      [cancelledAt, 'cancelled', shippedAt === '' ? 'open' : 'shipped'],
    ],
  )
}

function addReturn(entries: TimelineEntry[], [createdAt, id, reference, begunAt, closedAt, cancelledAt]: Fields): void {
  const previous = begunAt === '' ? 'expected' : 'receiving'
  addChanges(
    entries,
    'return',
    [id, reference],
    [
      [createdAt, 'expected', ''],
      [begunAt, 'receiving', 'expected'],
      [closedAt, 'closed', previous],
      [cancelledAt, 'cancelled', previous],
    ],
  )
}

function addChanges(
  entries: TimelineEntry[],
  kind: 'shipment' | 'return',
  [id, reference]: Fields,
  changes: readonly [at: string, state: string, previous: string][],
): void {
  for (const [at, state, previous] of changes) {
    if (at === '') continue
    const data = (): string =>
      `{"id":${id},"reference":${textOrNull(reference)},"state":"${state}","previous_state":${wordOrNull(previous)}}`
    entries.push({ at: inMilliseconds(at), rank: RANKS[kind], id: `${kind}_${id}_${state}`, data })
  }
}
