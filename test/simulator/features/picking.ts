import {
  changeStock,
  emit,
  newNumber,
  sum,
  type ClientState,
  type Flow,
  type Location,
  type Order,
  type Product,
} from '../client-state.ts'
import { openOf, type ModelLine } from '../../model/reservations/model.ts'
import { numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'
import { lookAtReservations } from './holds.ts'
import { anyLocation } from './locations.ts'
import { anyOrder, completeOrder, emitUpdate, isOpen } from './orders.ts'
import { endFlow, keptPicks, putBack, runningFlow, totalsOf } from './flow-rules.ts'
import { itemBarcodeOf, weighedCode } from './weight-barcodes.ts'
import { anyQuantity } from './stock.ts'

/** Picking flows: sections "Picking flows" and "Flows" of the decisions, sections 4 and 10 of the extensions. */

interface NewPick {
  flow: number
  n: number
  /** By a `weight`, the code says how much it is. */
  by: 'barcode' | 'product_id' | 'order_detail_id' | 'weight'
  line: number
  location: number
  quantity: number
  /** A `pick_id` that was used, for one that is not made again. */
  again: number | null
}

export const anyFlow = (client: ClientState, random: Random): Flow | undefined =>
  random.chance(0.8) ? random.one(client.flows.filter(({ state }) => state === 'started')) : random.one(client.flows.slice(-10))

export const shownFlow = (flow: Flow): object => ({
  id: flow.id,
  order_id: flow.order.id,
  order_tenant_id: flow.order.name,
  warehouse_id: flow.order.book.warehouse,
  state: flow.state,
  operator_email: flow.operator,
  items_to_pick: flow.itemsToPick,
  total_quantity: flow.totalQuantity,
  ...totalsOf(flow),
  batch_id: flow.batch?.id,
  slot: flow.slot,
})

/** Starts a flow of an open order without a running one. */
export function startFlow(client: ClientState, n: number, order: Order, id: number, operator: string): Flow {
  const open = order.book.lines.filter((line) => openOf(line) > 0)
  const flow: Flow = {
    n,
    id,
    order,
    state: 'started',
    operator,
    itemsToPick: open.length,
    totalQuantity: sum(open.map(openOf)),
    picks: [],
  }
  client.flows.push(flow)
  order.book.flow = { id, picks: [] }
  order.pickingState = 1
  emit(client, 'flow/started', `flow:${id}`, {
    flow_id: id,
    order_id: order.id,
    items_to_pick: flow.itemsToPick,
    total_quantity: flow.totalQuantity,
  })
  const previous = order.state
  order.state = 3
  emitUpdate(client, order, previous)
  return flow
}

/** A line that has a part of its quantity and waits for the rest: which of the two a pick takes from shows then. */
const isPartly = (line: ModelLine): boolean => line.reserved > 0 && line.backordered > 0

export const canStart = (client: ClientState, order: Order): boolean => isOpen(order) && runningFlow(client, order) === undefined

/** Completes it; the order too, if all of it is picked. */
export function completeFlow(client: ClientState, flow: Flow): void {
  const { order } = flow
  const isPicked = order.book.lines.every((line) => openOf(line) === 0)
  endFlow(client, flow, 'completed')
  delete order.book.flow
  const next = isPicked ? 5 : 2
  order.state = next
  emitUpdate(client, order, 3)
  order.state = 3
  if (isPicked) completeOrder(client, order, true)
  order.state = next
}

export function cancelFlow(client: ClientState, flow: Flow): void {
  endFlow(client, flow, 'cancelled')
  flow.order.state = 2
  emitUpdate(client, flow.order, 3)
}

/** The lines that a pick names, as positions. */
function linesOf(flow: Flow, { by, line }: NewPick): number[] {
  const product = flow.order.lines[line]?.product
  if (product === undefined) return []
  return by === 'order_detail_id'
    ? [line]
    : flow.order.lines.flatMap((other, index) => (other.product === product ? [index] : []))
}

/** How a pick names its product, and how much it is. */
function namedBy({ id, product }: Order['lines'][number], { by, quantity }: NewPick): object | undefined {
  const names = { barcode: product.barcode, product_id: product.id, order_detail_id: id }
  if (by !== 'weight') return { [by]: names[by], quantity }
  const barcode = itemBarcodeOf(product)
  return barcode === undefined ? undefined : { barcode: weighedCode(barcode, quantity) }
}

const pickName = ({ n, again }: NewPick): string => `pick/${again ?? n}`

/** A part of what is reserved for a line that waits for more, from where it is reserved. */
function drawPart(client: ClientState, random: Random): Pick<NewPick, 'flow' | 'line' | 'location' | 'quantity'> | undefined {
  const flow = random.one(client.flows.filter(({ state, order }) => state === 'started' && order.book.lines.some(isPartly)))
  if (flow === undefined) return undefined
  const line = flow.order.book.lines.findIndex(isPartly)
  const { product, reserved } = flow.order.book.lines[line] as ModelLine
  const isFit = ({ id, pickable }: Location): boolean =>
    pickable && !client.books.isElsewhere(flow.order.book, id) && client.books.level(product, id) >= 1
  const location = random.one(client.locations.filter(isFit))
  return location && { flow: flow.n, line, location: location.n, quantity: random.int(1, Math.max(Math.floor(reserved), 1)) }
}

export const PICKING: Operation[] = [
  operation<{ n: number; order: number; byName: boolean }>({
    id: 'flows.start',
    weight: 4,
    makesRecord: true,
    draw(client, random) {
      const isKnown = ({ lines }: Order): boolean => lines.every(({ id }) => id !== 0)
      const isReady = (one: Order): boolean => isKnown(one) && canStart(client, one)
      const partly = random.chance(0.4)
        ? anyOrder(client, random, (one) => isReady(one) && one.book.lines.some(isPartly))
        : undefined
      const order = partly ?? anyOrder(client, random, random.chance(0.9) ? isReady : isKnown)
      return order && { n: newNumber(client), order: order.n, byName: random.chance(0.3) }
    },
    request(client, { order, byName }) {
      const known = numbered(client.orders, order)
      const named = known && (byName ? { order_tenant_id: known.name } : { order_id: known.id })
      return named && { method: 'POST', path: '/flows', body: { ...named, operator_email: `${client.name}@example.com` } }
    },
    expect(client, input, data) {
      const order = numbered(client.orders, input.order) as Order
      if (!canStart(client, order)) return refused('flow_error')
      return ok(shownFlow(startFlow(client, input.n, order, data.id, `${client.name}@example.com`)))
    },
  }),

  operation<NewPick>({
    id: 'flows.pick',
    weight: 14,
    draw(client, random) {
      const part = random.chance(0.4) ? drawPart(client, random) : undefined
      if (part !== undefined) return { ...part, n: newNumber(client), by: 'product_id', again: null }
      const flow = anyFlow(client, random)
      if (flow === undefined) return undefined
      const open = flow.order.book.lines.flatMap((line, index) => (openOf(line) > 0 ? [index] : []))
      const line = (random.chance(0.9) ? random.one(open) : undefined) ?? random.int(0, flow.order.lines.length - 1)
      const product = flow.order.lines[line]?.product
      const stocked = client.locations.filter(({ id }) => product && client.books.level(product.id, id) > 0)
      const location = (random.chance(0.9) ? random.one(stocked) : undefined) ?? anyLocation(client, random)
      if (product === undefined || location === undefined) return undefined
      const left = Math.max(openOf(flow.order.book.lines[line] as Order['book']['lines'][number]), 1)
      const quantity =
        random.chance(0.5) && (product.weighable || left % 1 === 0) ? left : anyQuantity(random, product.weighable, 4)
      const again = random.chance(0.1) ? random.one(flow.picks) : undefined
      const used = again === undefined ? null : Number(again.name.slice('pick/'.length))
      return {
        flow: flow.n,
        n: newNumber(client),
        by:
          itemBarcodeOf(product) !== undefined && random.chance(0.5)
            ? 'weight'
            : random.of(['barcode', 'product_id', 'order_detail_id']),
        line,
        location: location.n,
        quantity,
        again: used,
      }
    },
    request(client, input) {
      const flow = numbered(client.flows, input.flow)
      const line = flow?.order.lines[input.line]
      const location = numbered(client.locations, input.location)
      if (flow === undefined || line === undefined || location === undefined) return undefined
      const named = namedBy(line, input)
      const body = named && { ...named, location_id: location.id, pick_id: pickName(input) }
      if (body === undefined) return undefined
      return { method: 'POST', path: `/flows/${flow.id}/picks`, body }
    },
    expect(client, input, data) {
      const flow = numbered(client.flows, input.flow) as Flow
      const location = numbered(client.locations, input.location) as ClientState['locations'][number]
      const { order } = flow
      const { product } = order.lines[input.line] as Order['lines'][number]
      const { quantity } = input
      const earlier = flow.picks.find(({ name }) => name === pickName(input))
      if (earlier !== undefined) {
        // Whether it names the product in the same way is not kept here, so the answer decides; either way, nothing happens.
        return data?.refused === 'flow_error'
          ? refused('flow_error')
          : ok({ pick: { id: earlier.name, quantity: earlier.quantity } })
      }
      if (flow.state !== 'started') return refused('flow_error')
      if (!product.weighable && quantity % 1 !== 0) return refused('validation_error')
      const lines = linesOf(flow, input)
      const books = lines.map((line) => order.book.lines[line] as Order['book']['lines'][number])
      const room = sum(books.map((line) => line.quantity * (1 + line.tolerance) - line.picked))
      const level = client.books.level(product.id, location.id)
      const codes = [
        ...(location.pickable ? [] : ['flow_error']),
        ...(quantity > room ? ['flow_error'] : []),
        ...(quantity > level ? ['adjustment_error'] : []),
      ]
      if (codes.length > 0) return refused(...codes)
      const before = order.book.lines.map(({ picked }) => picked)
      client.books.pick(order.book, pickName(input), product.id, location.id, quantity, books)
      const taken = order.book.lines.flatMap(({ picked }, line) =>
        picked === before[line] ? [] : [{ line, quantity: picked - (before[line] ?? 0) }],
      )
      flow.picks.push({ name: pickName(input), product, location: location.id, quantity, lines: taken, isUndone: false })
      const cause = 'order_fulfillment'
      changeStock(client, [
        { product, location: location.id, change: -quantity, type: 'OUT', reason: cause, cause, order, isBooked: true },
      ])
      return ok({
        pick: {
          id: pickName(input),
          product_id: product.id,
          location_id: location.id,
          quantity,
          lines: taken.map((part) => ({ order_detail_id: order.lines[part.line]?.id, quantity: part.quantity })),
        },
        lines: taken.map(({ line }) => ({
          order_detail_id: order.lines[line]?.id,
          picked_quantity: order.book.lines[line]?.picked,
          remaining: openOf(order.book.lines[line] as Order['book']['lines'][number]),
        })),
      })
    },
    // Later calls even out whose share it took.
    async afterwards(client, { flow, line }) {
      const product = numbered(client.state.flows, flow)?.order.lines[line]?.product as Product
      const isWaitedFor = client.state.orders.some(({ book }) =>
        book.lines.some((one) => one.product === product.id && one.backordered > 0),
      )
      if (isWaitedFor) await lookAtReservations(client, product)
    },
  }),

  operation<{ flow: number; pick: string }>({
    id: 'flows.undoPick',
    weight: 3,
    draw(client, random) {
      const flow = anyFlow(client, random)
      const pick = flow && random.one(flow.picks)
      return flow && { flow: flow.n, pick: pick?.name ?? 'none' }
    },
    request(client, { flow, pick }) {
      const known = numbered(client.flows, flow)
      return known && { method: 'DELETE', path: `/flows/${known.id}/picks/${encodeURIComponent(pick)}` }
    },
    expect(client, input) {
      const flow = numbered(client.flows, input.flow) as Flow
      const pick = flow.picks.find(({ name }) => name === input.pick)
      if (pick === undefined) return refused('not_found')
      if (!pick.isUndone) {
        if (flow.state !== 'started') return refused('flow_error')
        pick.isUndone = true
        client.books.undo(flow.order.book, pick.name)
        putBack(client, flow.order, [pick])
      }
      return ok({ pick: { id: pick.name } })
    },
  }),

  operation<{ flow: number }>({
    id: 'flows.complete',
    weight: 4,
    draw: (client, random) => drawn(anyFlow(client, random)),
    request: (client, input) => call(client, input, 'complete'),
    expect(client, input) {
      const flow = numbered(client.flows, input.flow) as Flow
      if (flow.state !== 'started') return refused('flow_error')
      completeFlow(client, flow)
      return ok(shownFlow(flow))
    },
  }),

  operation<{ flow: number }>({
    id: 'flows.cancel',
    weight: 2,
    draw: (client, random) => drawn(anyFlow(client, random)),
    request: (client, input) => call(client, input, 'cancel'),
    expect(client, input) {
      const flow = numbered(client.flows, input.flow) as Flow
      if (flow.state === 'completed') return refused('flow_error')
      if (flow.state === 'started') cancelFlow(client, flow)
      return ok({ id: flow.id, state: 'cancelled' })
    },
  }),

  operation<{ flow: number; n: number }>({
    id: 'flows.assign',
    weight: 1,
    draw(client, random) {
      const flow = anyFlow(client, random)
      return flow && { flow: flow.n, n: random.int(1, 3) }
    },
    request(client, { flow, n }) {
      const known = numbered(client.flows, flow)
      return known && { method: 'POST', path: `/flows/${known.id}/assign`, body: { operator_email: `operator-${n}@example.com` } }
    },
    expect(client, { flow: number, n }) {
      const flow = numbered(client.flows, number) as Flow
      if (flow.state !== 'started') return refused('flow_error')
      flow.operator = `operator-${n}@example.com`
      return ok({ id: flow.id, operator_email: flow.operator })
    },
  }),

  operation<{ flow: number }>({
    id: 'flows.get',
    weight: 3,
    draw: (client, random) => drawn(anyFlow(client, random)),
    request(client, { flow }) {
      const known = numbered(client.flows, flow)
      return known && { method: 'GET', path: `/flows/${known.id}` }
    },
    expect(client, input) {
      const flow = numbered(client.flows, input.flow) as Flow
      return ok(shownFlowDetails(flow))
    },
  }),

  operation<{ order: number }>({
    id: 'flows.list',
    weight: 1,
    draw(client, random) {
      const flow = random.one(client.flows)
      return flow && { order: flow.order.n }
    },
    request(client, { order }) {
      const known = numbered(client.orders, order)
      return known && { method: 'GET', path: `/flows?order_id=${known.id}` }
    },
    expect(client, input) {
      const flows = client.flows.filter(({ order }) => order.n === input.order).toReversed()
      return ok({ flows: flows.map(shownFlow), pagination: { total: flows.length } })
    },
  }),

  operation<{ none: true }>({
    id: 'flows.queue',
    weight: 1,
    draw: () => ({ none: true }),
    request: ({ name }) => ({ method: 'GET', path: `/flows/queue?search=${name}-o&limit=100` }),
    expect(client) {
      const queue = client.orders.filter(({ state }) => state === 1 || state === 2)
      const orders = queue.toSorted((a, b) => a.book.date.localeCompare(b.book.date) || a.id - b.id).map(shownInQueue)
      return ok({ orders, pagination: { total: orders.length } })
    },
  }),
]

function shownInQueue({ id, state, customer, book }: Order): object {
  const open = book.lines.map(openOf).filter((quantity) => quantity > 0)
  return {
    order_id: id,
    state_id: state,
    assembly_date: book.date,
    customer_name: customer,
    open_lines: open.length,
    open_quantity: sum(open),
  }
}

/** As `GET /flows/{id}` shows it. */
export function shownFlowDetails(flow: Flow): object {
  return {
    ...shownFlow(flow),
    lines: flow.order.lines.map((line, index) => ({
      order_detail_id: line.id,
      product_id: line.product.id,
      quantity: line.quantity,
      picked_quantity: flow.state === 'started' ? flow.order.book.lines[index]?.picked : () => true,
    })),
    picks: keptPicks(flow).map(({ name, product, quantity }) => ({ id: name, product_id: product.id, quantity })),
  }
}

const drawn = (flow: Flow | undefined): { flow: number } | undefined => flow && { flow: flow.n }

function call(client: ClientState, { flow }: { flow: number }, verb: string) {
  const known = numbered(client.flows, flow)
  return known && { method: 'POST' as const, path: `/flows/${known.id}/${verb}` }
}
