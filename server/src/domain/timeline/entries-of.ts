import { KINDS, rankOf } from './kinds.ts'
import type { TimelineEntry } from './schemas.ts'

/** A row of a source: the rank of its kind, and its values, the first of which is a time. */
export interface SourceRow {
  rank: number
  // Each kind has values of its own, in the order of its query.
  // oxlint-disable-next-line typescript/no-explicit-any
  values: any[]
}

/** An entry, and what sorts it. `data` of an event has no deliveries yet. */
export interface ReadEntry {
  /** `at` of the entry: texts of one length, which sort as times. */
  at: string
  rank: number
  id: string
  entry: TimelineEntry
}

type Data = TimelineEntry['data']
/** `kind` unless it is that of the row. */
type Change = [at: string | null, id: string, data: object, kind?: TimelineEntry['kind']]

const padded = (id: number): string => String(id).padStart(16, '0')
const SECONDS = 'yyyy-mm-ddThh:mm:ss'.length

/** A time of Postgres as responses have it. Parsing it as a date takes ten times as long. */
function inMilliseconds(at: string): string {
  return at.endsWith('+00:00') ? `${at.slice(0, SECONDS)}.${microsecondsOf(at).slice(0, 3)}Z` : new Date(at).toISOString()
}

/** Of a second: `2026-12-01T08:15:30.12+00:00` has 120000. */
const microsecondsOf = (at: string): string => (/\.(\d+)/.exec(at)?.[1] ?? '').padEnd(6, '0')

/** The entries of a row: of each kind, the time, id and data of what happened. */
const CHANGES: Record<(typeof KINDS)[number], (values: SourceRow['values']) => Change[]> = {
  call: ([at, id, operation, key_name, address, request_id, error]) => [
    [at, `call_${id}`, { operation, key_name, address, request_id, error }],
  ],
  created: ([at, id, order_tenant_id, warehouse_id, items_count, total_quantity]) => [
    [at, `created_${id}`, { order_tenant_id, warehouse_id, items_count, total_quantity }],
  ],
  state: ([at, id, state_id, previous_state_id, by, reason]) => [
    [at, `state_${padded(id)}`, { state_id, previous_state_id, by, reason }],
  ],
  flow: ([at, flow_id, batch_id, slot, operator_email, items_picked, total_quantity_picked, endedAt, state, reason]) => {
    const flow = { flow_id, batch_id, slot, operator_email }
    return [
      [at, `flow_${flow_id}_start`, { ...flow, state: 'started', items_picked: 0, total_quantity_picked: 0, reason: null }],
      [endedAt, `flow_${flow_id}_end`, { ...flow, state, items_picked, total_quantity_picked, reason }],
    ]
  },
  movement: (values) => [movementOf(values)],
  reservation: ([at, id, data]) => [reservationOf(at, id, data)],
  shipment: ([at, id, reference, shippedAt, deliveredAt, cancelledAt]) =>
    changesOf(`shipment_${id}`, { id, reference }, [
      [at, 'open', null],
      [shippedAt, 'shipped', 'open'],
      [deliveredAt, 'delivered', 'shipped'],
      [cancelledAt, 'cancelled', shippedAt === null ? 'open' : 'shipped'],
    ]),
  return: ([at, id, reference, receivedAt, closedAt, cancelledAt]) => {
    const previous = receivedAt === null ? 'expected' : 'receiving'
    return changesOf(`return_${id}`, { id, reference }, [
      [at, 'expected', null],
      [receivedAt, 'receiving', 'expected'],
      [closedAt, 'closed', previous],
      [cancelledAt, 'cancelled', previous],
    ])
  },
  event: ([at, event_id, event, , data]) => [
    [at, `event_${microsecondsOf(at)}_${event_id}`, { event_id, event, deliveries: [] }],
    ...(data === null ? [] : [reservationOf(at, event_id, data)]),
  ],
}

function reservationOf(at: string, id: string, data: string): Change {
  return [at, `reservation_${microsecondsOf(at)}_${id}`, JSON.parse(data), 'reservation']
}

function movementOf(values: SourceRow['values']): Change {
  const [at, id, product_id, product_name, location_id, movement_type, quantity, previous, next, reason, user, flow, pick] =
    values
  const data = {
    id: String(id),
    product_id,
    product_name,
    location_id,
    movement_type,
    quantity,
    previous_quantity: previous,
    new_quantity: next,
    reason,
    ...(user !== null && { user_id: user }),
    created_at: inMilliseconds(at),
    ...(flow !== null && { flow_id: flow }),
    ...(pick !== null && { pick_id: pick }),
  }
  return [at, `movement_${microsecondsOf(at)}_${padded(id)}`, data]
}

function changesOf(
  id: string,
  record: object,
  states: readonly [at: string | null, state: string, previousState: string | null][],
): Change[] {
  return states.map(([at, state, previous]) => [at, `${id}_${state}`, { ...record, state, previous_state: previous }])
}

/** The entries of a row, of an order. */
export function entriesOf({ rank, values }: SourceRow, orderId: number): ReadEntry[] {
  const kindOfRow = KINDS[rank] as (typeof KINDS)[number]
  return CHANGES[kindOfRow](values).flatMap(([time, id, data, kind = kindOfRow]) => {
    if (time === null) return []
    const at = inMilliseconds(time)
    const all = kind === 'movement' ? { ...data, order_id: orderId } : data
    const entry = { at, kind, id, data: all as Data } as TimelineEntry
    return [{ at, rank: rankOf(kind), id, entry }]
  })
}

/** The order of a timeline. Ids are compared as text: they have no character beyond ASCII. */
export const inOrder = (a: ReadEntry, b: ReadEntry): number => compared(a.at, b.at) || a.rank - b.rank || compared(a.id, b.id)

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
