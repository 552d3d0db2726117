import { newNumber, sum, type Batch, type ClientState, type Location, type Order } from '../client-state.ts'
import { openOf } from '../../model/reservations/model.ts'
import { allNumbered, numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'
import { totalsOf } from './flow-rules.ts'
import { drawWarehouse, warehouseAt } from './locations.ts'
import { anyOrder, DATES } from './orders.ts'
import { cancelFlow, canStart, completeFlow, startFlow } from './picking.ts'

/** Batches of given orders and of those that a rule chooses, with their stops: section 11 of the extensions. */

const any = (client: ClientState, random: Random): Batch | undefined => random.one(client.batches.slice(-6))

const stateOf = ({ flows }: Batch): 'started' | 'completed' | 'cancelled' =>
  flows.some(({ state }) => state === 'started')
    ? 'started'
    : flows.every(({ state }) => state === 'cancelled')
      ? 'cancelled'
      : 'completed'

export const shownBatch = (batch: Batch): object => ({
  id: batch.id,
  reference: batch.reference,
  state: stateOf(batch),
  slots: batch.flows.map((flow, index) => ({
    slot: index + 1,
    flow_id: flow.id,
    order_id: flow.order.id,
    state: flow.state,
    items_picked: totalsOf(flow).items_picked,
  })),
})

const request = (client: ClientState, n: number, method: 'GET' | 'POST', rest = '') => {
  const batch = numbered(client.batches, n)
  return batch && { method, path: `/flow-batches/${batch.id}${rest}` }
}

const isOpen = (order: Order): boolean => order.book.lines.some((line) => openOf(line) > 0)

/** The client has seen the ids of its lines. */
const isKnown = ({ lines }: Order): boolean => lines.every(({ id }) => id !== 0)

/** Which orders a batch is to have. */
interface Rule {
  most: number
  /** The position of a warehouse of the client. */
  warehouse: number
  until: string | null
  single: boolean
}

const sentRule = (client: ClientState, { most, warehouse, until, single }: Rule): object => ({
  max_orders: most,
  warehouse_id: warehouseAt(client, warehouse),
  single_line: single,
  ...(until === null ? {} : { assembly_until: until }),
})

/** The first orders that can be picked in full from what those before them leave. */
function chosenBy(client: ClientState, { most, warehouse: position, until, single }: Rule): Order[] {
  const warehouse = warehouseAt(client, position)
  const left = new Map(client.products.map(({ id }) => [id, sum(pickableOf(client, warehouse, id).map((at) => at.quantity))]))
  const chosen: Order[] = []
  const urgent = client.orders.toSorted((a, b) => a.book.date.localeCompare(b.book.date) || a.id - b.id)
  for (const order of urgent) {
    const open = order.book.lines.filter((line) => openOf(line) > 0)
    const isCandidate =
      (order.state === 1 || order.state === 2) && order.book.warehouse === warehouse && canStart(client, order) && open.length > 0
    if (!isCandidate || (until !== null && order.book.date > until) || (single && open.length > 1)) continue
    const wanted = openByProduct(order)
    const isReady = [...wanted].every(([product, quantity]) => quantity <= (left.get(product) ?? 0))
    if (!isReady || client.books.statusOf(order.book) === 'backordered') continue
    for (const [product, quantity] of wanted) left.set(product, (left.get(product) ?? 0) - quantity)
    chosen.push(order)
    if (chosen.length === most) break
  }
  return chosen
}

function openByProduct({ book }: Order): Map<number, number> {
  const open = new Map<number, number>()
  for (const line of book.lines) if (openOf(line) > 0) open.set(line.product, (open.get(line.product) ?? 0) + openOf(line))
  return open
}

/** Where a product can be picked in a warehouse, in pick order. */
const pickableOf = (client: ClientState, warehouse: number, product: number): { at: Location; quantity: number }[] =>
  client.locations
    .filter((at) => at.pickable && at.warehouse === warehouse && client.books.level(product, at.id) > 0)
    .toSorted(inPickOrder)
    .map((at) => ({ at, quantity: client.books.level(product, at.id) }))

const inPickOrder = (a: Location, b: Location): number =>
  (a.pickSequence ?? Infinity) === (b.pickSequence ?? Infinity)
    ? a.id < b.id
      ? -1
      : 1
    : (a.pickSequence ?? Infinity) - (b.pickSequence ?? Infinity)

interface Share {
  slot: number
  flow_id: number
  quantity: number
}

/** The way through the warehouse for what is open, and what no location has. */
function wayOf(client: ClientState, { flows }: Batch): { stops: object[]; missing: object[] } {
  const running = flows.filter(({ state }) => state === 'started')
  const stops: { at: Location; product_id: number; slots: Share[] }[] = []
  const missing: { product_id: number; quantity: number; slots: Share[] }[] = []
  for (const product of client.products.toSorted((a, b) => a.id - b.id)) {
    const places = pickableOf(client, flows[0]?.order.book.warehouse as number, product.id)
    const shares = running.map((flow) => ({ flow, open: openByProduct(flow.order).get(product.id) ?? 0 }))
    for (const place of places) {
      const slots = shares.flatMap((share): Share[] => {
        const quantity = Math.min(share.open, place.quantity)
        share.open -= quantity
        place.quantity -= quantity
        return quantity === 0 ? [] : [{ slot: share.flow.slot as number, flow_id: share.flow.id, quantity }]
      })
      if (slots.length > 0) stops.push({ at: place.at, product_id: product.id, slots })
    }
    const lacking = shares
      .filter(({ open }) => open > 0)
      .map(({ flow, open }) => ({ slot: flow.slot as number, flow_id: flow.id, quantity: open }))
    if (lacking.length > 0)
      missing.push({ product_id: product.id, quantity: sum(lacking.map(({ quantity }) => quantity)), slots: lacking })
  }
  return {
    stops: stops
      .toSorted((a, b) => (a.at === b.at ? a.product_id - b.product_id : inPickOrder(a.at, b.at)))
      .map(({ at, slots, ...stop }) => ({ ...stop, location_id: at.id, quantity: sum(slots.map((one) => one.quantity)), slots })),
    missing,
  }
}

const shownDetails = (client: ClientState, batch: Batch): object => ({ ...shownBatch(batch), ...wayOf(client, batch) })

export const BATCHES: Operation[] = [
  operation<{ n: number; orders: number[]; rule: Rule | null }>({
    id: 'flowBatches.create',
    weight: 1,
    makesRecord: true,
    draw(client, random) {
      const isReady = (order: Order): boolean => isOpen(order) && canStart(client, order) && isKnown(order)
      const warehouse = drawWarehouse(random)
      // Of an order that a rule chooses, the ids of the lines are needed too.
      if (random.chance(0.5) && client.orders.every((order) => isKnown(order) || !canStart(client, order))) {
        const until = random.chance(0.5) ? random.of(DATES) : null
        return {
          n: newNumber(client),
          orders: [],
          rule: { most: random.int(1, 4), warehouse, until, single: random.chance(0.3) },
        }
      }
      const isThere = (order: Order): boolean => order.book.warehouse === warehouseAt(client, warehouse)
      const orders = random.some(client.orders.filter(isReady).filter(isThere), random.int(1, 3))
      const other = random.chance(0.1) ? anyOrder(client, random, isKnown) : undefined
      const all = [...new Set([...orders, ...(other === undefined ? [] : [other])])]
      return all.length === 0 ? undefined : { n: newNumber(client), orders: all.map(({ n }) => n), rule: null }
    },
    request(client, { n, orders, rule }) {
      const known = allNumbered(client.orders, orders)
      if (known === undefined || (known.length === 0 && rule === null)) return undefined
      const body = {
        ...(rule === null ? { order_ids: known.map(({ id }) => id) } : { rule: sentRule(client, rule) }),
        operator_email: `${client.name}@example.com`,
        reference: `${client.name}-batch${n}`,
      }
      return { method: 'POST', path: '/flow-batches', body }
    },
    expect(client, { n, orders: numbers, rule }, data) {
      const orders = rule === null ? (allNumbered(client.orders, numbers) as Order[]) : chosenBy(client, rule)
      const codes = [
        ...(orders.length === 0 || orders.some((order) => !canStart(client, order)) ? ['flow_error'] : []),
        ...(new Set(orders.map(({ book }) => book.warehouse)).size > 1 ? ['validation_error'] : []),
      ]
      if (codes.length > 0) return refused(...codes)
      const batch: Batch = { n, id: data.id, reference: `${client.name}-batch${n}`, flows: [] }
      for (const [index, order] of orders.entries()) {
        const flow = startFlow(client, n + (index + 1) / 100, order, data.slots?.[index]?.flow_id, `${client.name}@example.com`)
        batch.flows.push(flow)
        flow.batch = batch
        flow.slot = index + 1
      }
      client.batches.push(batch)
      return ok(shownDetails(client, batch))
    },
  }),

  ...(['complete', 'cancel'] as const).map((verb) =>
    operation<{ batch: number }>({
      id: `flowBatches.${verb}`,
      weight: 0.6,
      draw(client, random) {
        const batch = any(client, random)
        return batch && { batch: batch.n }
      },
      request: (client, { batch }) => request(client, batch, 'POST', `/${verb}`),
      expect(client, input) {
        const batch = numbered(client.batches, input.batch) as Batch
        const wrong = verb === 'complete' ? 'cancelled' : 'completed'
        if (stateOf(batch) === wrong) return refused('flow_error')
        for (const flow of batch.flows.filter(({ state }) => state === 'started'))
          if (verb === 'complete') completeFlow(client, flow)
          else cancelFlow(client, flow)
        return ok(shownDetails(client, batch))
      },
    }),
  ),

  operation<{ batch: number }>({
    id: 'flowBatches.get',
    weight: 0.6,
    draw(client, random) {
      const batch = any(client, random)
      return batch && { batch: batch.n }
    },
    request: (client, { batch }) => request(client, batch, 'GET'),
    expect: (client, { batch }) => ok(shownDetails(client, numbered(client.batches, batch) as Batch)),
  }),

  operation<{ batch: number }>({
    id: 'flowBatches.list',
    weight: 0.3,
    draw(client, random) {
      const batch = any(client, random)
      return batch && { batch: batch.n }
    },
    request(client, { batch }) {
      const known = numbered(client.batches, batch)
      return known && { method: 'GET', path: `/flow-batches?reference=${known.reference}` }
    },
    expect: (client, { batch }) =>
      ok({ flow_batches: [shownBatch(numbered(client.batches, batch) as Batch)], pagination: { total: 1 } }),
  }),
]
