import {
  changeStock,
  emit,
  newNumber,
  sum,
  type ClientState,
  type Delivery,
  type Location,
  type Order,
  type Product,
  type Receipt,
} from '../client-state.ts'
import { numbered, ok, operation, refused, type Expected, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'
import { anyLocation, drawWarehouse, warehouseAt } from './locations.ts'
import { anyOrder } from './orders.ts'

/** Inbound records and returns: sections 6 and 7 of the extensions. */

type Kind = Delivery['kind']
type Disposition = Receipt['disposition']

const MAX_OPEN = 6
const TOPICS = { inbound: 'inbound/updated', returns: 'return/updated' }
const ERRORS = { inbound: 'inbound_error', returns: 'return_error' }
const REASONS = { inbound: 'stock_receipt', returns: 'return' } as const
const NAMES = { inbound: 'inbound', returns: 'return' }

const isOver = ({ state }: Delivery): boolean => state === 'closed' || state === 'cancelled'
const receivedOf = (line: Delivery['lines'][number]): number => line.restocked + line.quarantined + line.scrapped
const totalReceived = ({ lines }: Delivery): number => sum(lines.map(receivedOf))
const referenceOf = (client: ClientState, kind: Kind, n: number): string => `${client.name}-${kind}${n}`

function any(client: ClientState, random: Random, kind: Kind): Delivery | undefined {
  const all = client.deliveries.filter((delivery) => delivery.kind === kind)
  return random.one(random.chance(0.85) ? all.filter((delivery) => !isOver(delivery)) : all.slice(-10))
}

export function shownDelivery(delivery: Delivery): object {
  const { kind, order } = delivery
  return {
    id: delivery.id,
    reference: delivery.reference,
    state: delivery.state,
    warehouse_id: delivery.warehouse,
    allow_over: delivery.allowOver,
    note: delivery.note,
    total_quantity: sum(delivery.lines.map(({ quantity }) => quantity)),
    total_received: totalReceived(delivery),
    ...(kind === 'returns' ? { order_id: order?.id ?? null } : {}),
  }
}

export const shownDetails = (delivery: Delivery): object => ({
  ...shownDelivery(delivery),
  lines: delivery.lines.map((line) => ({
    product_id: line.product.id,
    quantity: line.quantity,
    received_quantity: receivedOf(line),
    ...(delivery.kind === 'returns'
      ? { restocked_quantity: line.restocked, quarantined_quantity: line.quarantined, scrapped_quantity: line.scrapped }
      : {}),
  })),
})

function changeState(
  client: ClientState,
  delivery: Delivery,
  state: Delivery['state'],
  previous: Delivery['state'] | null,
): void {
  delivery.state = state
  const id = delivery.kind === 'inbound' ? 'inbound_id' : 'return_id'
  emit(client, TOPICS[delivery.kind], `${NAMES[delivery.kind]}:${delivery.id}`, {
    [id]: delivery.id,
    state,
    previous_state: previous,
    total_received: totalReceived(delivery),
  })
}

/** What its returns that are not cancelled count of a product of an order. */
function returned(client: ClientState, order: Order, product: Product): number {
  const own = client.deliveries.filter((one) => one.order === order && one.state !== 'cancelled')
  return sum(
    own.flatMap((one) =>
      one.lines
        .filter((line) => line.product === product)
        .map((line) => (one.state === 'closed' ? receivedOf(line) : Math.max(line.quantity, receivedOf(line)))),
    ),
  )
}

const takenOf = (order: Order, product: Product): number =>
  sum(order.lines.map((line, index) => (line.product === product ? (order.taken[index] ?? 0) : 0)))

const partOf = (disposition: Disposition): 'restocked' | 'quarantined' | 'scrapped' =>
  ({ restock: 'restocked', quarantine: 'quarantined', scrap: 'scrapped' } as const)[disposition]

const request = (client: ClientState, kind: Kind, n: number, method: 'GET' | 'POST' | 'PUT', rest = '', body?: object) => {
  const delivery = numbered(client.deliveries, n)
  return delivery && { method, path: `/${kind}/${delivery.id}${rest}`, body }
}

function receive(
  client: ClientState,
  delivery: Delivery,
  product: Product,
  location: Location | null,
  quantity: number,
  receipt: Receipt,
): void {
  const part = partOf(receipt.disposition)
  const lines = delivery.lines.filter((line) => line.product === product)
  let left = quantity
  for (const [index, line] of lines.entries()) {
    const isLast = index === lines.length - 1
    const taken = isLast ? left : Math.min(left, Math.max(line.quantity - receivedOf(line), 0))
    if (taken > 0) receipt.lines.push({ line: delivery.lines.indexOf(line), quantity: taken })
    line[part] += taken
    left -= taken
  }
  delivery.receipts.push(receipt)
  if (location !== null) move(client, delivery, product, location.id, quantity, 'IN')
}

function move(
  client: ClientState,
  { kind, order }: Delivery,
  product: Product,
  location: string,
  change: number,
  type: 'IN' | 'OUT',
): void {
  const cause = REASONS[kind]
  changeStock(client, [{ product, location, change, type, reason: cause, cause, order }])
}

const operationsOf = (kind: Kind): Operation[] => [
  operation<{
    n: number
    again: number | null
    order: number | null
    allowOver: boolean
    warehouse: number
    lines: { product: number; quantity: number }[]
  }>({
    id: `${kind}.create`,
    weight: 2,
    makesRecord: true,
    draw(client, random) {
      if (client.deliveries.filter((one) => one.kind === kind && !isOver(one)).length > MAX_OPEN) return undefined
      const order = kind === 'returns' && random.chance(0.6) ? anyOrder(client, random, ({ taken }) => sum(taken) > 0) : undefined
      const products = random.some(order?.lines.map(({ product }) => product) ?? client.products, random.int(1, 2))
      if (products.length === 0) return undefined
      const again = random.chance(0.1) ? (random.one(client.deliveries.filter((one) => one.kind === kind))?.n ?? null) : null
      const lines = products.map(({ n }) => ({ product: n, quantity: random.int(1, 4) }))
      return {
        n: newNumber(client),
        again,
        order: order?.n ?? null,
        allowOver: random.chance(0.3),
        warehouse: drawWarehouse(random),
        lines,
      }
    },
    request(client, { n, again, order, allowOver, warehouse, lines }) {
      const products = lines.map(({ product }) => numbered(client.products, product))
      const known = order === null ? undefined : numbered(client.orders, order)
      if (products.includes(undefined) || (order !== null && known === undefined)) return undefined
      const body = {
        reference: referenceOf(client, kind, again ?? n),
        warehouse_id: warehouseAt(client, warehouse),
        allow_over: allowOver,
        ...(known === undefined ? {} : { order_id: known.id }),
        lines: lines.map(({ quantity }, index) => ({ product_id: products[index]?.id, quantity })),
      }
      return { method: 'POST', path: `/${kind}`, body }
    },
    expect(client, { n, again, order: orderNumber, allowOver, warehouse, lines }, data) {
      const reference = referenceOf(client, kind, again ?? n)
      if (client.deliveries.some((one) => one.kind === kind && one.reference === reference)) {
        const earlier = client.deliveries.find((one) => one.reference === reference) as Delivery
        return data?.refused === undefined ? ok(shownDetails(earlier)) : refused('idempotency_conflict')
      }
      const order = orderNumber === null ? null : (numbered(client.orders, orderNumber) as Order)
      const delivery: Delivery = {
        n,
        id: data.id,
        kind,
        reference,
        state: 'expected',
        warehouse: warehouseAt(client, warehouse),
        order,
        allowOver,
        expectedAt: null,
        note: null,
        lines: lines.map(({ product, quantity }) => ({
          id: 0,
          product: numbered(client.products, product) as Product,
          quantity,
          restocked: 0,
          quarantined: 0,
          scrapped: 0,
        })),
        receipts: [],
      }
      const isTooMuch = ({ product }: { product: Product }): boolean =>
        order !== null &&
        returned(client, order, product) +
          sum(delivery.lines.filter((one) => one.product === product).map(({ quantity }) => quantity)) >
          takenOf(order, product)
      if (delivery.lines.some(isTooMuch)) return refused('return_error')
      client.deliveries.push(delivery)
      changeState(client, delivery, 'expected', null)
      return ok(shownDetails(delivery))
    },
  }),

  operation<{ delivery: number; n: number; product: number; location: number; quantity: number; disposition: Disposition }>({
    id: `${kind}.receive`,
    weight: 4,
    makesRecord: true,
    draw(client, random) {
      const delivery = any(client, random, kind)
      const product = delivery && random.one(delivery.lines)?.product
      const disposition = kind === 'inbound' ? 'restock' : random.of<Disposition>(['restock', 'restock', 'quarantine', 'scrap'])
      const isFit = ({ warehouse, sellable }: Location): boolean =>
        warehouse === delivery?.warehouse && (kind === 'inbound' || sellable === (disposition === 'restock'))
      const location =
        (random.chance(0.9) ? random.one(client.locations.filter(isFit)) : undefined) ?? anyLocation(client, random)
      if (delivery === undefined || product === undefined || location === undefined) return undefined
      return {
        delivery: delivery.n,
        n: newNumber(client),
        product: product.n,
        location: location.n,
        quantity: random.int(1, 3),
        disposition,
      }
    },
    request(client, { delivery, n, product, location, quantity, disposition }) {
      const body = {
        product_id: numbered(client.products, product)?.id,
        quantity,
        receipt_id: `receipt/${n}`,
        ...(disposition === 'scrap' ? {} : { location_id: numbered(client.locations, location)?.id }),
        ...(kind === 'returns' ? { disposition } : {}),
      }
      const isKnown = numbered(client.products, product) !== undefined && numbered(client.locations, location) !== undefined
      return isKnown ? request(client, kind, delivery, 'POST', '/receipts', body) : undefined
    },
    expect(client, { delivery: number, n, product: productNumber, location: locationNumber, quantity, disposition }): Expected {
      const delivery = numbered(client.deliveries, number) as Delivery
      const product = numbered(client.products, productNumber) as Product
      const location = disposition === 'scrap' ? null : (numbered(client.locations, locationNumber) as Location)
      const lines = delivery.lines.filter((line) => line.product === product)
      const open = sum(lines.map((line) => Math.max(line.quantity - receivedOf(line), 0)))
      const { order } = delivery
      const codes: string[] = []
      if (isOver(delivery)) codes.push(ERRORS[kind])
      if (location !== null && location.warehouse !== delivery.warehouse) codes.push('validation_error')
      if (kind === 'returns' && location !== null && location.sellable !== (disposition === 'restock'))
        codes.push('validation_error')
      if (lines.length === 0 && !delivery.allowOver) codes.push(ERRORS[kind])
      if (quantity > open && !delivery.allowOver) codes.push(ERRORS[kind])
      if (order !== null && codes.length === 0) {
        const part = lines.at(-1) as Delivery['lines'][number]
        const before = returned(client, order, product)
        const grows = Math.max(receivedOf(part) + quantity - Math.max(part.quantity, receivedOf(part)), 0)
        const surplus = lines.length === 1 ? grows : Math.max(quantity - open, 0)
        if (before + surplus > takenOf(order, product)) codes.push('return_error')
      }
      if (codes.length > 0) return refused(...codes)
      const receipt: Receipt = {
        name: `receipt/${n}`,
        product,
        location: location?.id ?? null,
        quantity,
        disposition,
        lines: [],
        isUndone: false,
      }
      receive(client, delivery, product, location, quantity, receipt)
      if (delivery.state === 'expected') changeState(client, delivery, 'receiving', 'expected')
      return ok({
        receipt: { id: receipt.name, product_id: product.id, location_id: receipt.location, quantity, undone_at: null },
        [NAMES[kind]]: shownDetails(delivery),
      })
    },
  }),

  operation<{ delivery: number; receipt: string }>({
    id: `${kind}.undoReceipt`,
    weight: 1,
    draw(client, random) {
      const delivery = any(client, random, kind)
      return delivery && { delivery: delivery.n, receipt: random.one(delivery.receipts)?.name ?? 'none' }
    },
    request(client, { delivery, receipt }) {
      const known = numbered(client.deliveries, delivery)
      return known && { method: 'DELETE', path: `/${kind}/${known.id}/receipts/${encodeURIComponent(receipt)}` }
    },
    expect(client, input) {
      const delivery = numbered(client.deliveries, input.delivery) as Delivery
      const receipt = delivery.receipts.find(({ name }) => name === input.receipt)
      if (receipt === undefined) return refused('not_found')
      if (!receipt.isUndone) {
        if (delivery.state !== 'receiving') return refused(ERRORS[kind])
        const { product, location, quantity } = receipt
        if (location !== null && client.books.level(product.id, location) < quantity) return refused('adjustment_error')
        for (const part of receipt.lines) {
          const line = delivery.lines[part.line] as Delivery['lines'][number]
          line[partOf(receipt.disposition)] -= part.quantity
        }
        receipt.isUndone = true
        if (location !== null) move(client, delivery, product, location, -quantity, 'OUT')
      }
      return ok({ receipt: { id: receipt.name, undone_at: (at: unknown) => at !== null }, [NAMES[kind]]: shownDetails(delivery) })
    },
  }),

  ...(['close', 'cancel'] as const).map((verb) =>
    operation<{ delivery: number }>({
      id: `${kind}.${verb}`,
      weight: 1,
      draw(client, random) {
        const delivery = any(client, random, kind)
        return delivery && random.chance(0.5) ? { delivery: delivery.n } : undefined
      },
      request: (client, { delivery }) => request(client, kind, delivery, 'POST', `/${verb}`),
      expect(client, input) {
        const delivery = numbered(client.deliveries, input.delivery) as Delivery
        const next = verb === 'close' ? 'closed' : 'cancelled'
        if (delivery.state === next) return ok(shownDetails(delivery))
        if (isOver(delivery) || (verb === 'cancel' && totalReceived(delivery) > 0)) return refused(ERRORS[kind])
        changeState(client, delivery, next, delivery.state)
        return ok(shownDetails(delivery))
      },
    }),
  ),

  operation<{ delivery: number; note: string }>({
    id: `${kind}.update`,
    weight: 0.5,
    draw(client, random) {
      const delivery = any(client, random, kind)
      return delivery && { delivery: delivery.n, note: `note ${random.int(1, 9)}` }
    },
    request: (client, { delivery, note }) => request(client, kind, delivery, 'PUT', '', { note }),
    expect(client, { delivery: n, note }) {
      const delivery = numbered(client.deliveries, n) as Delivery
      delivery.note = note
      return ok(shownDetails(delivery))
    },
  }),

  operation<{ delivery: number }>({
    id: `${kind}.get`,
    weight: 1,
    draw(client, random) {
      const delivery = any(client, random, kind)
      return delivery && { delivery: delivery.n }
    },
    request: (client, { delivery }) => request(client, kind, delivery, 'GET'),
    expect: (client, { delivery }) => ok(shownDetails(numbered(client.deliveries, delivery) as Delivery)),
  }),

  operation<{ delivery: number }>({
    id: `${kind}.receipts`,
    weight: 0.5,
    draw(client, random) {
      const delivery = any(client, random, kind)
      return delivery && { delivery: delivery.n }
    },
    request: (client, { delivery }) => request(client, kind, delivery, 'GET', '/receipts?limit=100'),
    expect(client, { delivery: n }) {
      const { receipts } = numbered(client.deliveries, n) as Delivery
      const shown = receipts.toReversed().map((receipt) => ({ id: receipt.name, quantity: receipt.quantity }))
      return ok({ receipts: shown, pagination: { total: receipts.length } })
    },
  }),

  operation<{ delivery: number }>({
    id: `${kind}.list`,
    weight: 0.5,
    draw(client, random) {
      const delivery = any(client, random, kind)
      return delivery && { delivery: delivery.n }
    },
    request(client, { delivery }) {
      const known = numbered(client.deliveries, delivery)
      return known && { method: 'GET', path: `/${kind}?reference=${known.reference}` }
    },
    expect: (client, { delivery }) =>
      ok({ [kind]: [shownDelivery(numbered(client.deliveries, delivery) as Delivery)], pagination: { total: 1 } }),
  }),
]

export const RECEIVING: Operation[] = [...operationsOf('inbound'), ...operationsOf('returns')]
