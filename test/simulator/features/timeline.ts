import type { ClientState, Order } from '../client-state.ts'
import { numbered, ok, operation, type Data, type Operation } from '../operation.ts'
import { anyOrder } from './orders.ts'

/** The timeline of an order: section 13 of the extensions. Calls and events are those of the audit log and the feed. */

const KINDS = ['created', 'state', 'flow', 'movement', 'shipment', 'return']
const MAX_ENTRIES = 100

export const TIMELINE: Operation[] = [
  operation<{ order: number }>({
    id: 'orders.timeline',
    weight: 1.5,
    draw(client, random) {
      const order = anyOrder(client, random)
      return order && { order: order.n }
    },
    request(client, { order }) {
      const known = numbered(client.orders, order)
      const kinds = KINDS.map((kind) => `kind=${kind}`).join('&')
      return known && { method: 'GET', path: `/orders/${known.id}/timeline?${kinds}&limit=${MAX_ENTRIES}` }
    },
    expect(client, { order }) {
      const known = numbered(client.orders, order) as Order
      return ok({ entries: (entries: unknown) => wrongEntries(client, known, entries as Data[]) ?? true })
    },
  }),
]

/** An entry, by its place in the answer. */
interface Entry {
  index: number
  data: Data
}

/** The first entry that differs from what the client knows of the order, or undefined. A longer timeline is not looked at. */
function wrongEntries(client: ClientState, order: Order, entries: readonly Data[]): string | undefined {
  if (entries.length === MAX_ENTRIES) return undefined
  const of = (kind: string): Entry[] =>
    entries.flatMap((entry, index) => (entry.kind === kind ? [{ index, data: entry.data }] : []))
  return (
    wrongCreation(of('created')) ??
    brokenStates(of('state'), 'state_id', 1, order.state) ??
    wrongFlows(client, order, of('flow')) ??
    wrongMovements(client, order, of('movement')) ??
    wrongRecords(
      client.shipments.filter((one) => one.order === order),
      of('shipment'),
    ) ??
    wrongRecords(
      client.deliveries.filter((one) => one.kind === 'returns' && one.order === order),
      of('return'),
    )
  )
}

function wrongCreation(entries: readonly Entry[]): string | undefined {
  const other = entries.find(({ index }) => index !== 0)
  if (other !== undefined) return `entry ${other.index}: expected no creation there, got ${JSON.stringify(other.data)}`
  return entries.length === 1 ? undefined : 'entry 0: expected the creation, got another kind'
}

/** Each change begins with the state that the one before led to. */
function brokenStates(changes: readonly Entry[], field: string, first: unknown, last: unknown): string | undefined {
  let state = first
  for (const { index, data } of changes) {
    if (data[`previous_${field}`] !== state)
      return `entry ${index}: expected a change from the state ${String(state)}, got ${JSON.stringify(data)}`
    state = data[field]
  }
  if (state === last) return undefined
  return `entry ${changes.at(-1)?.index ?? 'none'}: expected the state ${String(last)} in the end, got ${String(state)}`
}

function wrongFlows(client: ClientState, order: Order, changes: readonly Entry[]): string | undefined {
  const flows = client.flows.filter((flow) => flow.order === order)
  const expected = flows.flatMap(({ id, state }) =>
    state === 'started'
      ? [[id, state]]
      : [
          [id, 'started'],
          [id, state],
        ],
  )
  return otherEntry(expected, changes, ({ flow_id, state }) => [flow_id, state])
}

function wrongMovements(client: ClientState, order: Order, movements: readonly Entry[]): string | undefined {
  const expected = client.movements.filter((movement) => movement.order === order.id)
  return otherEntry(
    expected.map(({ product, location, type, quantity, reason }) => [product.id, location, type, quantity, reason]),
    movements,
    (row) => [row.product_id, row.location_id, row.movement_type, row.quantity, row.reason],
  )
}

/** The first entry that is not expected, and the first expected one that is not there, whatever their order. */
export function otherEntry(
  expected: readonly unknown[],
  entries: readonly Entry[],
  shown: (data: Data) => unknown,
): string | undefined {
  const missing = expected.map((row) => JSON.stringify(row))
  let surplus: Entry | undefined
  for (const entry of entries) {
    const at = missing.indexOf(JSON.stringify(shown(entry.data)))
    if (at === -1) surplus ??= entry
    else missing.splice(at, 1)
  }
  const [first] = missing
  if (surplus === undefined) return first === undefined ? undefined : `expected an entry ${first}, which is not there`
  return `entry ${surplus.index}: expected ${first ?? 'no such entry'}, got ${JSON.stringify(shown(surplus.data))}`
}

function wrongRecords(records: readonly { id: number; state: string }[], changes: readonly Entry[]): string | undefined {
  const other = changes.find(({ data }) => records.every((record) => record.id !== data.id))
  if (other !== undefined) return `entry ${other.index}: expected no such record, got ${JSON.stringify(other.data)}`
  const found = records.map(({ id, state }) =>
    brokenStates(
      changes.filter(({ data }) => data.id === id),
      'state',
      null,
      state,
    ),
  )
  return found.find((one) => one !== undefined)
}
