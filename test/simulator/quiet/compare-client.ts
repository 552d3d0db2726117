import { shownProduct, numbersOf } from '../features/catalog.ts'
import { shownLocation } from '../features/locations.ts'
import { shownInList, shownOrder } from '../features/orders.ts'
import { shownFlow } from '../features/picking.ts'
import { difference } from '../difference.ts'
import { shownBatch } from '../features/batches.ts'
import { shownCount } from '../features/counts.ts'
import { shownHold } from '../features/holds.ts'
import { shownDelivery } from '../features/receiving.ts'
import { shownShipment } from '../features/shipments.ts'
import { sameWebhooks, shownWebhook } from '../features/webhooks.ts'
import type { ClientState, Delivery } from '../client-state.ts'
import type { Data } from '../operation.ts'
import { sameRows } from './same-rows.ts'
import type { Snapshot } from './snapshot.ts'

/** The first difference between what the client must see and what can be read, or undefined. */
export function compareClient(client: ClientState, snapshot: Snapshot): string | undefined {
  const products = new Set(client.products.map(({ id }) => id))
  const orders = new Set(client.orders.map(({ id }) => id))
  const ofProducts = (rows: Data[]): Data[] => rows.filter((row) => products.has(row.product_id))
  return (
    byId(
      'product',
      client.products,
      snapshot.products.filter(({ barcode }) => isOwn(client, barcode)),
      shownProduct,
    ) ??
    byId(
      'location',
      client.locations,
      snapshot.locations.filter(({ id }) => isOwn(client, id)),
      shownLocation,
    ) ??
    byId(
      'order',
      client.orders,
      snapshot.orders.filter(({ order_tenant_id }) => isOwn(client, order_tenant_id)),
      (order) => ({
        ...shownInList(client, order),
        order_detail: (shownOrder(client, order) as Data).order_detail.map((line: Data) => ({ ...line, id: () => true })),
      }),
    ) ??
    byId(
      'flow',
      client.flows,
      snapshot.flows.filter(({ order_id }) => orders.has(order_id)),
      shownFlow,
    ) ??
    byReference(client, 'hold', client.holds, snapshot.holds, shownHold) ??
    byReference(client, 'inbound', ofKind(client, 'inbound'), snapshot.inbound, shownDelivery) ??
    byReference(client, 'return', ofKind(client, 'returns'), snapshot.returns, shownDelivery) ??
    byReference(client, 'count', client.counts, snapshot.counts, shownCount) ??
    byReference(client, 'shipment', client.shipments, snapshot.shipments, shownShipment) ??
    byReference(client, 'batch', client.batches, snapshot.batches, shownBatch) ??
    compareWebhooks(client, snapshot.webhooks) ??
    compareLevels(client, ofProducts(snapshot.levels)) ??
    compareMovements(client, ofProducts(snapshot.movements)) ??
    compareAvailability(client, ofProducts(snapshot.availability)) ??
    compareReservations(client, ofProducts(snapshot.reservations))
  )
}

const ofKind = ({ deliveries }: ClientState, kind: Delivery['kind']): Delivery[] => deliveries.filter((one) => one.kind === kind)

function compareWebhooks(client: ClientState, rows: readonly Data[]): string | undefined {
  const byItsId = new Map(rows.map((row) => [row.id, row]))
  const found = client.webhooks.map((webhook) =>
    difference(shownWebhook(client, webhook), byItsId.get(webhook.id), `webhook ${webhook.id}`),
  )
  return found.find((one) => one !== undefined) ?? sameWebhooks(client, rows)
}

/** Those whose reference the client gave. */
const byReference = <T extends { id: number }>(
  client: ClientState,
  kind: string,
  expected: readonly T[],
  rows: readonly Data[],
  shown: (record: T) => object,
): string | undefined =>
  byId(
    kind,
    expected,
    rows.filter(({ reference }) => isOwn(client, reference)),
    shown,
  )

const isOwn = (client: ClientState, name: unknown): boolean => String(name).startsWith(`${client.name}-`)

/** The records of the model and those that were read, by their id. */
export function byId<T extends { id: number | string }>(
  kind: string,
  expected: readonly T[],
  actual: readonly Data[],
  shown: (record: T) => object,
): string | undefined {
  const rows = new Map(actual.map((row) => [row.id, row]))
  for (const record of expected) {
    const found = difference(shown(record), rows.get(record.id), `${kind} ${record.id}`)
    if (found !== undefined) return found
    rows.delete(record.id)
  }
  const [more] = rows.values()
  return more === undefined ? undefined : `a ${kind} that nobody made: ${JSON.stringify(more)}`
}

function compareLevels(client: ClientState, rows: Data[]): string | undefined {
  const expected = client.products.flatMap(({ id }) =>
    [...client.books.levels(id)].map(([location, quantity]) => [id, location, quantity]),
  )
  // Of a level that was only looked at, it is not said whether it exists.
  const actual = rows.map(({ product_id, location_id, quantity }) => [product_id, location_id, quantity])
  const isNothing = (row: unknown[]): boolean => row[2] === 0
  return sameRows(
    'levels',
    expected.filter((row) => !isNothing(row)),
    actual.filter((row) => !isNothing(row)),
  )
}

function compareMovements(client: ClientState, rows: Data[]): string | undefined {
  const expected = client.movements.map(({ product, location, type, quantity, reason, order }) => [
    product.id,
    location,
    type,
    quantity,
    reason,
    order,
  ])
  const actual = rows.map((row) => [
    row.product_id,
    row.location_id,
    row.movement_type,
    row.quantity,
    row.reason,
    row.order_id ?? null,
  ])
  return sameRows('movements', expected, actual) ?? brokenChain(rows)
}

/** Each movement of a level begins with the quantity that the one before it left. */
export function brokenChain(newestFirst: readonly Data[]): string | undefined {
  const last = new Map<string, number>()
  for (const row of newestFirst.toSorted((a, b) => Number(a.id) - Number(b.id))) {
    const key = `${row.product_id}/${row.location_id}`
    if ((last.get(key) ?? 0) !== row.previous_quantity)
      return `movement ${row.id} of level ${key} begins with ${row.previous_quantity}, and the one before left ${last.get(key) ?? 0}`
    last.set(key, row.new_quantity)
  }
  return undefined
}

function compareAvailability(client: ClientState, rows: Data[]): string | undefined {
  const expected = client.products.flatMap((product) =>
    client.warehouses.flatMap((warehouse) => {
      const numbers = numbersOf(client, product, warehouse)
      const isAny = Object.values(numbers).some((number) => number !== 0)
      return isAny ? [{ product_id: product.id, warehouse_id: warehouse, ...numbers }] : []
    }),
  )
  const names = [
    'product_id',
    'warehouse_id',
    'on_hand',
    'unsellable',
    'reserved',
    'held',
    'available',
    'backordered',
    'incoming',
  ]
  const pick = (row: Data): unknown[] => names.map((name) => row[name])
  return sameRows('availability', expected.map(pick), rows.map(pick))
}

function compareReservations(client: ClientState, rows: Data[]): string | undefined {
  const lines = new Map(client.orders.map((order) => [order.id, order]))
  // Lines are numbered by their position here: their ids are known only after the order was read.
  const expected = client.books
    .reservations()
    .map((row) => [row.product_id, row.order_id, row.hold_id, row.reserved_quantity, row.backordered_quantity])
  const actual = rows.map((row) => [row.product_id, row.order_id, row.hold_id, row.reserved_quantity, row.backordered_quantity])
  const foreign = rows.find((row) => row.order_id !== null && !lines.has(row.order_id))
  if (foreign !== undefined) return `a reservation of nobody's order: ${JSON.stringify(foreign)}`
  return sameRows('reservations', expected, actual)
}
