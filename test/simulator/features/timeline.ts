import type { ClientState, Order } from '../client-state.ts'
import { numbered, ok, operation, type Data, type Operation } from '../operation.ts'
import { sameRows } from '../quiet/same-rows.ts'
import { anyOrder } from './orders.ts'

/** The timeline of an order: section 13 of the extensions. Calls and events are those of the audit log and the feed. */

const KINDS = ['created', 'state', 'flow', 'movement', 'shipment', 'return']
const MOST_ENTRIES = 100

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
      return known && { method: 'GET', path: `/orders/${known.id}/timeline?${kinds}&limit=${MOST_ENTRIES}` }
    },
    expect(client, { order }) {
      const known = numbered(client.orders, order) as Order
      return ok({ entries: (entries: unknown) => wrongEntries(client, known, entries as Data[]) === undefined })
    },
  }),
]

/** The first difference from what the client knows of the order, or undefined. A longer timeline is not looked at. */
function wrongEntries(client: ClientState, order: Order, entries: readonly Data[]): string | undefined {
  if (entries.length === MOST_ENTRIES) return undefined
  const of = (kind: string): Data[] => entries.filter((entry) => entry.kind === kind).map(({ data }) => data)
  return (
    (of('created').length === 1 && entries[0].kind === 'created' ? undefined : 'the creation') ??
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

/** Each change begins with the state that the one before led to. */
function brokenStates(changes: readonly Data[], field: string, first: unknown, last: unknown): string | undefined {
  let state = first
  for (const change of changes) {
    if (change[`previous_${field}`] !== state) return `the change ${JSON.stringify(change)} after the state ${String(state)}`
    state = change[field]
  }
  return state === last ? undefined : `the last state ${String(state)}`
}

function wrongFlows(client: ClientState, order: Order, changes: readonly Data[]): string | undefined {
  const flows = client.flows.filter((flow) => flow.order === order)
  const expected = flows.flatMap(({ id, state }) =>
    state === 'started'
      ? [[id, state]]
      : [
          [id, 'started'],
          [id, state],
        ],
  )
  return sameRows(
    'flows',
    expected,
    changes.map(({ flow_id, state }) => [flow_id, state]),
  )
}

function wrongMovements(client: ClientState, order: Order, movements: readonly Data[]): string | undefined {
  const expected = client.movements.filter((movement) => movement.order === order.id)
  return sameRows(
    'movements',
    expected.map(({ product, location, type, quantity, reason }) => [product.id, location, type, quantity, reason]),
    movements.map((row) => [row.product_id, row.location_id, row.movement_type, row.quantity, row.reason]),
  )
}

function wrongRecords(records: readonly { id: number; state: string }[], changes: readonly Data[]): string | undefined {
  const other = changes.find(({ id }) => records.every((record) => record.id !== id))
  if (other !== undefined) return `another record ${JSON.stringify(other)}`
  const found = records.map(({ id, state }) =>
    brokenStates(
      changes.filter((change) => change.id === id),
      'state',
      null,
      state,
    ),
  )
  return found.find((one) => one !== undefined)
}
