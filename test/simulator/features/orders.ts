import { emit, newNumber, sum, type ClientState, type Order, type OrderLine, type Product } from '../client-state.ts'
import { numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'
import { activeProducts, additionalBarcode } from './catalog.ts'
import { endFlow, runningFlow } from './flow-rules.ts'
import { drawWarehouse, warehouseAt } from './locations.ts'

/** Orders: sections "Orders" of the specification and the decisions; reservations of sections 4 and 9 of the extensions. */

export const DATES = ['2030-01-01', '2030-01-02', '2030-01-03'] as const
const MAX_OPEN = 14

export const STATES: Record<number, string> = { 1: 'Pending', 2: 'In Progress', 3: 'In Progress', 5: 'Completed', 7: 'Cancelled' }

interface NewOrder {
  n: number
  /** The number of an order that exists, for one that is not made again. */
  again: number | null
  date: string
  customer: string | null
  /** The position of a warehouse of the client. */
  warehouse: number
  mayWait: boolean
  hold: number | null
  lines: { product: number; barcode: number | null; quantity: number; price: number | null }[]
}

export const orderName = (client: ClientState, n: number): string => `${client.name}-o${n}`
export const anyOrder = (
  client: ClientState,
  random: Random,
  isWanted: (order: Order) => boolean = () => true,
): Order | undefined => random.one(client.orders.filter(isWanted).slice(-30))
export const isOpen = ({ state }: Order): boolean => state !== 5 && state !== 7

/** As `GET /orders/{id}` shows it. */
export function shownOrder(client: ClientState, order: Order): object {
  return {
    ...shownInList(client, order),
    state_picking_id: order.pickingState,
    warehouse_id: order.book.warehouse,
    order_detail: order.lines.map((line, index) => shownLine(client, order, line, index)),
  }
}

export function shownInList(client: ClientState, order: Order): object {
  return {
    id: order.id,
    order_tenant_id: order.name,
    state_id: order.state,
    state_name: STATES[order.state],
    assembly_date: order.book.date,
    customer_name: order.customer,
    items_count: order.lines.length,
    reservation_status: client.books.statusOf(order.book),
    shipment_status: shipmentStatus(client, order),
  }
}

function shownLine(client: ClientState, order: Order, line: OrderLine, index: number): object {
  const book = order.book.lines[index]
  const isReserving = client.policy !== 'off'
  return {
    id: line.id,
    product_id: line.product.id,
    barcode: line.barcode,
    product_name: line.name,
    quantity: line.quantity,
    price: line.price,
    picked_quantity: book?.picked,
    reserved_quantity: isReserving ? book?.reserved : undefined,
    backordered_quantity: isReserving ? book?.backordered : undefined,
  }
}

/** Undefined while the order has no shipment that is not cancelled. */
export function shipmentStatus(client: ClientState, order: Order): string | undefined {
  const shipments = client.shipments.filter((shipment) => shipment.order === order && shipment.state !== 'cancelled')
  if (shipments.length === 0) return undefined
  const packed = (states: string[]): number[] =>
    order.lines.map((_, line) =>
      sum(
        shipments
          .filter(({ state }) => states.includes(state))
          .flatMap(({ packages }) => packages.flatMap(({ lines }) => lines.filter((part) => part.line === line)))
          .map(({ quantity }) => quantity),
      ),
    )
  const isAll = (states: string[]): boolean =>
    order.state === 5 && packed(states).every((quantity, line) => quantity >= (order.taken[line] ?? 0))
  if (isAll(['delivered'])) return 'delivered'
  if (isAll(['shipped', 'delivered'])) return 'shipped'
  return packed(['shipped', 'delivered']).some((quantity) => quantity > 0) ? 'partial' : 'packing'
}

const eventOf = (order: Order, previous?: number): Record<string, unknown> => ({
  order_id: order.id,
  order_tenant_id: order.name,
  state_id: order.state,
  state_name: STATES[order.state],
  ...(previous === undefined ? {} : { previous_state_id: previous }),
})

export const emitUpdate = (client: ClientState, order: Order, previous: number, fields?: string[]): void =>
  emit(client, 'order/updated', `order:${order.id}`, {
    ...eventOf(order, previous),
    ...(fields && { updated_fields: sameFields(fields) }),
  })

/** In any order. */
export const sameFields = (fields: string[]) => (actual: unknown) =>
  JSON.stringify([...(actual as string[])].toSorted()) === JSON.stringify(fields.toSorted())

/** Cancels it, with its running flow and its open shipments. */
function cancelOrder(client: ClientState, order: Order): void {
  const previous = order.state
  const flow = runningFlow(client, order)
  if (flow !== undefined) endFlow(client, flow, 'cancelled')
  order.state = 7
  client.books.endOrder(order.book, true)
  emit(client, 'order/cancelled', `order:${order.id}`, eventOf(order, previous))
  const open = client.shipments.filter((one) => one.order === order && one.state === 'open')
  // Each event has the status after the call.
  for (const shipment of open) shipment.state = 'cancelled'
  for (const shipment of open)
    emit(client, 'shipment/updated', `shipment:${shipment.id}`, {
      shipment_id: shipment.id,
      state: 'cancelled',
      previous_state: 'open',
      shipment_status: shipmentStatus(client, order) ?? null,
    })
}

export function completeOrder(client: ClientState, order: Order, isPicked: boolean): void {
  order.state = 5
  const picked = sum(order.taken)
  if (picked === 0) order.taken = order.lines.map(({ quantity }) => quantity)
  client.books.endOrder(order.book, false)
  emit(client, 'order/completed', `order:${order.id}`, {
    ...eventOf(order),
    total_quantity_picked: isPicked ? picked : () => true,
  })
}

/** Of the warehouse of a hold. */
const positionOf = (client: ClientState, hold: number): number =>
  client.warehouses.indexOf(numbered(client.holds, hold)?.book.warehouse ?? warehouseAt(client, 0))

const lineProducts = (client: ClientState, lines: NewOrder['lines']): (Product | undefined)[] =>
  lines.map(({ product }) => numbered(client.products, product))

/** An order of more of a product than is free, ahead of others that have some of it: it has a part, and they lose first. */
function drawScarce(
  client: ClientState,
  random: Random,
): Pick<NewOrder, 'date' | 'warehouse' | 'mayWait' | 'hold' | 'lines'> | undefined {
  const [date, ...later] = DATES
  const warehouse = warehouseAt(client, 0)
  const freeOf = ({ id }: Product): number => {
    const { available, backordered } = client.books.numbers(id, warehouse)
    return Math.floor(available - backordered)
  }
  const after = client.orders.filter(({ book }) => later.some((day) => day === book.date) && book.warehouse === warehouse)
  const isWanted = ({ id }: Product): boolean =>
    client.books.numbers(id, warehouse).held > 0 ||
    after.some(({ book }) => book.lines.some((line) => line.product === id && line.reserved > 0))
  const fit = activeProducts(client).filter((one) => one.tolerance === 0 && freeOf(one) > 0 && freeOf(one) < 20 && isWanted(one))
  const product = random.one(fit)
  if (product === undefined) return undefined
  const quantity = freeOf(product) + random.int(1, 3)
  return { date, warehouse: 0, mayWait: true, hold: null, lines: [{ product: product.n, barcode: null, quantity, price: null }] }
}

export const ORDERS: Operation[] = [
  operation<NewOrder>({
    id: 'orders.create',
    weight: 8,
    makesRecord: true,
    draw(client, random) {
      const products = random.chance(0.95) ? activeProducts(client) : client.products
      if (products.length === 0) return undefined
      const again = random.chance(0.1) ? (anyOrder(client, random)?.n ?? null) : null
      const open = client.orders.filter(isOpen).length
      const scarce = again === null && open < MAX_OPEN + 4 && random.chance(0.5) ? drawScarce(client, random) : undefined
      if (scarce !== undefined) return { n: newNumber(client), again, customer: null, ...scarce }
      if (again === null && open >= MAX_OPEN) return undefined
      const hold = random.chance(0.3) ? (random.one(client.holds.slice(-5))?.n ?? null) : null
      return {
        n: newNumber(client),
        again,
        date: random.of([...DATES]),
        customer: random.of([null, 'Ada', 'Grace']),
        warehouse: hold !== null && random.chance(0.8) ? positionOf(client, hold) : drawWarehouse(random),
        mayWait: random.chance(0.6),
        hold,
        lines: Array.from({ length: random.int(1, 3) }, () => {
          const product = random.one(products) as Product
          const single = random.chance(0.2) ? random.one(product.barcodes.filter(({ quantity }) => quantity === 1)) : undefined
          const price = random.chance(0.3) ? random.int(1, 20) / 4 : null
          // Of quantities that are multiples of 2, the bounds of lines with a tolerance are multiples of 1/4.
          const quantity = product.tolerance > 0 ? 2 * random.int(1, 3) : random.int(1, 6)
          return { product: product.n, barcode: single?.n ?? null, quantity, price }
        }),
      }
    },
    request(client, { n, again, date, customer, warehouse, mayWait, hold, lines }) {
      const products = lineProducts(client, lines)
      const named = client.holds.find((one) => one.n === hold)
      if (products.includes(undefined) || (hold !== null && named === undefined)) return undefined
      const order = {
        order_tenant_id: orderName(client, again ?? n),
        assembly_date: date,
        ...(customer === null ? {} : { customer_name: customer }),
        warehouse_id: warehouseAt(client, warehouse),
        allow_backorder: mayWait,
        ...(named === undefined ? {} : { hold: named.reference }),
        order_detail: lines.map(({ barcode, quantity, price }, index) => ({
          barcode: barcode === null ? products[index]?.barcode : additionalBarcode(client, barcode),
          quantity,
          ...(price === null ? {} : { price }),
        })),
      }
      return { method: 'POST', path: '/orders', body: n % 3 === 0 ? order : n % 3 === 1 ? [order] : { orders: [order] } }
    },
    expect(client, { n, again, date, customer, warehouse: position, mayWait, hold, lines }, data) {
      const warehouse = warehouseAt(client, position)
      const products = lineProducts(client, lines) as Product[]
      const isKnown = lines.every(
        ({ barcode }, index) =>
          barcode === null || products[index]?.barcodes.some((one) => one.n === barcode && one.quantity === 1),
      )
      if (numbered(client.orders, again ?? 0) !== undefined) {
        // Whether the lines of an order that exists are looked at is not said.
        if (data?.refused === 'creation_error' && (!isKnown || products.some((product) => !product.isActive)))
          return refused('creation_error')
        return ok({ created_count: 0, existing_count: 1, orders: [] })
      }
      const reference = client.holds.find((one) => one.n === hold)?.reference
      // The newest of several with one reference.
      const own = client.policy === 'off' ? undefined : client.holds.findLast((one) => one.reference === reference)
      const codes = [
        ...(own === undefined || own.book.warehouse === warehouse ? [] : ['validation_error']),
        ...(isKnown && products.every((product) => product.isActive) ? [] : ['creation_error']),
      ]
      if (codes.length > 0) return refused(...codes)
      const wanted = lines.map(({ quantity }, index) => ({ product: (products[index] as Product).id, quantity }))
      const active = own?.state === 'active' ? own : undefined
      if (client.policy === 'strict' && !mayWait && !client.books.fits(wanted, warehouse, active?.book))
        return refused('insufficient_stock')
      const book = {
        id: data.orders?.[0]?.id as number,
        warehouse,
        date,
        lines: wanted.map(({ product, quantity }, index) => ({
          id: index,
          product,
          quantity,
          picked: 0,
          tolerance: (products[index] as Product).tolerance,
          reserved: 0,
          backordered: 0,
        })),
      }
      client.books.addOrder(book, active?.book)
      const order: Order = {
        n,
        id: book.id,
        name: orderName(client, n),
        state: 1,
        customer,
        lines: lines.map(({ barcode, quantity, price }, index) => {
          const product = products[index] as Product
          return {
            // The answer does not name them: they are learned from the first read.
            id: 0,
            product,
            barcode: barcode === null ? product.barcode : additionalBarcode(client, barcode),
            name: product.name,
            quantity,
            price: price ?? product.price,
          }
        }),
        book: client.books.orders.at(-1) as Order['book'],
        pickingState: null,
        taken: lines.map(() => 0),
      }
      client.orders.push(order)
      if (active !== undefined) {
        active.state = 'consumed'
        active.order = order
      }
      emit(client, 'order/created', `order:${order.id}`, {
        ...eventOf(order),
        warehouse_id: warehouse,
        items_count: lines.length,
        total_quantity: sum(lines.map(({ quantity }) => quantity)),
        source: 'api',
      })
      const reservation_status = client.books.statusOf(order.book)
      return ok({
        created_count: 1,
        existing_count: 0,
        orders: [{ order_tenant_id: order.name, state_id: 1, reservation_status }],
      })
    },
  }),

  operation<{ order: number }>({
    id: 'orders.get',
    weight: 8,
    draw: (client, random) =>
      drawn(anyOrder(client, random, ({ lines }) => lines.some(({ id }) => id === 0)) ?? anyOrder(client, random)),
    request(client, { order }) {
      const known = numbered(client.orders, order)
      return known && { method: 'GET', path: `/orders/${known.id}` }
    },
    expect(client, input, data) {
      const order = numbered(client.orders, input.order) as Order
      for (const [index, line] of order.lines.entries()) if (line.id === 0) line.id = data?.order_detail?.[index]?.id ?? 0
      return ok(shownOrder(client, order))
    },
  }),

  operation<{ order: number }>({
    id: 'orders.list',
    weight: 2,
    draw: (client, random) => drawn(anyOrder(client, random)),
    request(client, { order }) {
      const known = numbered(client.orders, order)
      return known && { method: 'GET', path: `/orders?order_tenant_id=${known.name}&include_details=true` }
    },
    expect(client, input) {
      const order = numbered(client.orders, input.order) as Order
      return ok({
        orders: [
          { ...shownInList(client, order), order_detail: order.lines.map(({ barcode, quantity }) => ({ barcode, quantity })) },
        ],
        pagination: { total: 1, page: 1, limit: 50, total_pages: 1 },
      })
    },
  }),

  operation<{ order: number; change: { customer_name?: string; assembly_date?: string; state_id?: number } }>({
    id: 'orders.update',
    weight: 3,
    draw(client, random) {
      const order = anyOrder(client, random)
      const change = random.weighted(
        [
          { customer_name: random.of(['Ada', 'Grace', 'Edsger']) },
          { assembly_date: random.of([...DATES]) },
          { state_id: random.of([1, 2, 2, 3]) },
          { state_id: random.of([5, 7]) },
          {},
        ],
        ({ state_id }) => (state_id === 5 || state_id === 7 ? 0.5 : 1),
      )
      return order && { order: order.n, change }
    },
    request(client, { order, change }) {
      const known = numbered(client.orders, order)
      return known && { method: 'PUT', path: `/orders/${known.id}`, body: change }
    },
    expect(client, { order: n, change }) {
      const order = numbered(client.orders, n) as Order
      const previous = order.state
      const state = change.state_id ?? previous
      if (!isOpen(order)) return refused('update_error')
      if (runningFlow(client, order) !== undefined && state !== previous && state !== 7) return refused('update_error')
      const fields = [
        ...(change.assembly_date !== undefined && change.assembly_date !== order.book.date ? ['assembly_date'] : []),
        ...(change.customer_name !== undefined && change.customer_name !== order.customer ? ['customer_name'] : []),
        ...(state === previous ? [] : ['state_id']),
      ]
      if (change.assembly_date !== undefined) order.book.date = change.assembly_date
      if (change.customer_name !== undefined) order.customer = change.customer_name
      if (fields.length > 0) {
        const flow = runningFlow(client, order)
        if (flow !== undefined && state === 7) endFlow(client, flow, 'cancelled')
        order.state = state
        // With the flow, more of the order changes than was given.
        emitUpdate(client, order, previous, flow !== undefined && state === 7 ? undefined : fields)
        order.state = previous
        if (state === 7) cancelOrder(client, order)
        if (state === 5) completeOrder(client, order, false)
        order.state = state
      }
      return ok({
        id: order.id,
        order_tenant_id: order.name,
        state_id: order.state,
        assembly_date: order.book.date,
        customer_name: order.customer,
      })
    },
  }),

  operation<{ order: number; byName: boolean; reason: string | null }>({
    id: 'orders.cancel',
    weight: 2,
    draw(client, random) {
      const order = anyOrder(client, random)
      return order && { order: order.n, byName: random.chance(0.5), reason: random.of([null, 'late']) }
    },
    request(client, { order, byName, reason }) {
      const known = numbered(client.orders, order)
      const path = known && `/orders/${byName ? known.name : known.id}/cancel`
      return path === undefined ? undefined : { method: 'POST', path, body: reason === null ? undefined : { reason } }
    },
    expect(client, input) {
      const order = numbered(client.orders, input.order) as Order
      if (order.state === 5) return refused('cancel_error')
      if (order.state !== 7) cancelOrder(client, order)
      return ok({ order_id: String(order.id) })
    },
  }),

  operation<{ order: number }>({
    id: 'orders.blockers',
    weight: 1,
    draw: (client, random) => drawn(anyOrder(client, random)),
    request(client, { order }) {
      const known = numbered(client.orders, order)
      return known && { method: 'GET', path: `/orders/${known.id}/blockers` }
    },
    expect(client, input) {
      const order = numbered(client.orders, input.order) as Order
      const flow = runningFlow(client, order)
      const codes = (actual: unknown): string[] => (actual as { code: string }[]).map(({ code }) => code)
      if (!isOpen(order)) return ok({ ready: false, blockers: [{ code: 'order_over', state_id: order.state }] })
      const isBackordered = client.books.statusOf(order.book) === 'backordered'
      return ok({
        order_id: order.id,
        blockers: (actual: unknown) =>
          codes(actual).includes('flow_running') === (flow !== undefined) &&
          codes(actual).includes('backordered') === isBackordered,
      })
    },
  }),
]

const drawn = (order: Order | undefined): { order: number } | undefined => order && { order: order.n }
