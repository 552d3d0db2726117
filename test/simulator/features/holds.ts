import { newNumber, type ClientState, type Hold, type Product } from '../client-state.ts'
import { numbered, ok, operation, refused, type Data, type Operation, type Reader } from '../operation.ts'
import { sameRows } from '../quiet/same-rows.ts'
import type { Random } from '../random.ts'
import { activeProducts, anyProduct, numbersOf } from './catalog.ts'
import { drawWarehouse, warehouseAt } from './locations.ts'
import { anyOrder } from './orders.ts'

/** Holds and availability: section 4 of the extensions. Holds outlive the simulation; those that expire are in `expiring-holds.ts`. */

const TTL_SECONDS = 86_400

type Lines = { product: number; quantity: number }[]

const nameOf = (client: ClientState, n: number): string => `${client.name}-h${n}`
const anyHold = (client: ClientState, random: Random): Hold | undefined =>
  random.one(random.chance(0.8) ? client.holds.filter(({ state }) => state === 'active') : client.holds.slice(-10))

/** Of each product one line, so that it does not matter in which order lines lose. */
const drawLines = (client: ClientState, random: Random): Lines =>
  random.some(activeProducts(client), random.int(1, 2)).map(({ n }) => ({ product: n, quantity: random.int(1, 3) }))

const productsOf = (client: ClientState, lines: Lines): Product[] | undefined => {
  const products = lines.map(({ product }) => numbered(client.products, product))
  return products.includes(undefined) ? undefined : (products as Product[])
}

export const shownHold = (hold: Hold): object => ({
  id: hold.id,
  reference: hold.reference,
  state: hold.state,
  warehouse_id: hold.book.warehouse,
  order_id: hold.order?.id ?? null,
  lines: hold.lines.map(({ product, quantity }, index) => ({
    product_id: product.id,
    quantity,
    reserved_quantity: hold.book.lines[index]?.reserved,
  })),
})

function read(client: ClientState, n: number, method: 'GET' | 'DELETE') {
  const hold = numbered(client.holds, n)
  return hold && { method, path: `/holds/${hold.id}` }
}

/** All reservations of a product, by lines and holds, as they are now. */
export async function lookAtReservations(client: Reader, { id }: Product): Promise<void> {
  const { body } = await client.read(`/stock/reservations?product_id=${id}&limit=100`)
  const brief = (rows: Data[]): unknown[] =>
    rows.map((row) => [row.warehouse_id, row.order_id, row.hold_id, row.reserved_quantity, row.backordered_quantity])
  const wanted = client.state.books.reservations().filter(({ product_id: product }) => product === id)
  const found = sameRows(`reservations of product ${id}`, brief(wanted), brief(body.data.reservations))
  if (found !== undefined) client.found(found)
}

export const HOLDS: Operation[] = [
  operation<{ n: number; again: number | null; warehouse: number; lines: Lines }>({
    id: 'holds.create',
    weight: 3,
    makesRecord: true,
    draw(client, random) {
      const lines = drawLines(client, random)
      if (lines.length === 0 || client.holds.filter(({ state }) => state === 'active').length > 5) return undefined
      const again = random.chance(0.1) ? (random.one(client.holds)?.n ?? null) : null
      return { n: newNumber(client), again, warehouse: drawWarehouse(random), lines }
    },
    request(client, { n, again, warehouse, lines }) {
      const products = productsOf(client, lines)
      const body = {
        reference: nameOf(client, again ?? n),
        ttl_seconds: TTL_SECONDS,
        warehouse_id: warehouseAt(client, warehouse),
        lines: lines.map(({ quantity }, index) => ({ product_id: products?.[index]?.id, quantity })),
      }
      return products && { method: 'POST', path: '/holds', body }
    },
    expect(client, { n, again, warehouse: position, lines }, data) {
      const warehouse = warehouseAt(client, position)
      const products = productsOf(client, lines) as Product[]
      const wanted = lines.map(({ quantity }, index) => ({ product: (products[index] as Product).id, quantity }))
      const reference = nameOf(client, again ?? n)
      const earlier = client.holds.find((hold) => hold.reference === reference && hold.state === 'active')
      if (earlier !== undefined) return data?.refused === undefined ? ok(shownHold(earlier)) : refused('idempotency_conflict')
      if (client.policy === 'off') return refused('hold_error')
      if (products.some(({ isActive }) => !isActive)) return refused('not_found', 'validation_error')
      if (!client.books.fits(wanted, warehouse)) return refused('insufficient_stock')
      client.books.addHold(data.id, warehouse, wanted)
      const book = client.books.holds.at(-1) as Hold['book']
      const held = lines.map(({ quantity }, index) => ({ product: products[index] as Product, quantity }))
      const hold: Hold = { n, id: data.id, reference, book, lines: held, state: 'active', order: null }
      client.holds.push(hold)
      return ok(shownHold(hold))
    },
  }),

  operation<{ hold: number }>({
    id: 'holds.release',
    weight: 1,
    draw(client, random) {
      const hold = anyHold(client, random)
      return hold && { hold: hold.n }
    },
    request: (client, { hold }) => read(client, hold, 'DELETE'),
    expect(client, input) {
      const hold = numbered(client.holds, input.hold) as Hold
      if (hold.state === 'consumed') return refused('hold_error')
      if (hold.state === 'active') {
        client.books.endHold(hold.book)
        hold.state = 'released'
      }
      return ok(shownHold(hold))
    },
  }),

  operation<{ hold: number; lines: Lines }>({
    id: 'holds.update',
    weight: 1,
    draw(client, random) {
      const hold = anyHold(client, random)
      const lines = drawLines(client, random)
      return hold && lines.length > 0 ? { hold: hold.n, lines } : undefined
    },
    request(client, { hold, lines }) {
      const known = numbered(client.holds, hold)
      const products = productsOf(client, lines)
      if (known === undefined || products === undefined) return undefined
      const body = { lines: lines.map(({ quantity }, index) => ({ product_id: products[index]?.id, quantity })) }
      return { method: 'PUT', path: `/holds/${known.id}`, body }
    },
    expect(client, { hold: n, lines }) {
      const hold = numbered(client.holds, n) as Hold
      const products = productsOf(client, lines) as Product[]
      const wanted = lines.map(({ quantity }, index) => ({ product: (products[index] as Product).id, quantity }))
      if (hold.state !== 'active' || client.policy === 'off') return refused('hold_error')
      if (products.some(({ isActive }) => !isActive)) return refused('not_found', 'validation_error')
      if (!client.books.fits(wanted, hold.book.warehouse, hold.book)) return refused('insufficient_stock')
      client.books.changeHold(hold.book, wanted)
      hold.lines = lines.map(({ quantity }, index) => ({ product: products[index] as Product, quantity }))
      return ok(shownHold(hold))
    },
  }),

  operation<{ hold: number }>({
    id: 'holds.get',
    weight: 1,
    draw(client, random) {
      const hold = anyHold(client, random)
      return hold && { hold: hold.n }
    },
    request: (client, { hold }) => read(client, hold, 'GET'),
    expect: (client, { hold }) => ok(shownHold(numbered(client.holds, hold) as Hold)),
  }),

  operation<{ hold: number }>({
    id: 'holds.list',
    weight: 0.5,
    draw(client, random) {
      const hold = anyHold(client, random)
      return hold && { hold: hold.n }
    },
    request(client, { hold }) {
      const known = numbered(client.holds, hold)
      return known && { method: 'GET', path: `/holds?reference=${known.reference}` }
    },
    expect(client, { hold }) {
      const { reference } = numbered(client.holds, hold) as Hold
      const holds = client.holds.filter((other) => other.reference === reference).toReversed()
      return ok({ holds: holds.map((one) => ({ id: one.id, state: one.state })), pagination: { total: holds.length } })
    },
  }),

  operation<{ product: number; at: number }>({
    id: 'stock.availability',
    weight: 2,
    draw(client, random) {
      const product = anyProduct(client, random)
      return product && { product: product.n, at: drawWarehouse(random) }
    },
    request(client, { product, at }) {
      const known = numbered(client.products, product)
      return (
        known && { method: 'GET', path: `/stock/availability?product_id=${known.id}&warehouse_id=${warehouseAt(client, at)}` }
      )
    },
    expect(client, { product: number, at }) {
      const product = numbered(client.products, number) as Product
      const warehouse = warehouseAt(client, at)
      return ok({ availability: [{ product_id: product.id, warehouse_id: warehouse, ...numbersOf(client, product, warehouse) }] })
    },
  }),

  operation<{ order: number }>({
    id: 'stock.reservations',
    weight: 1,
    draw(client, random) {
      const order = anyOrder(client, random)
      return order && { order: order.n }
    },
    request(client, { order }) {
      const known = numbered(client.orders, order)
      return known && { method: 'GET', path: `/stock/reservations?order_id=${known.id}` }
    },
    expect(client, input) {
      const rows = client.books.reservations().filter(({ order_id }) => order_id === numbered(client.orders, input.order)?.id)
      const shown = rows.map((row) => ({
        product_id: row.product_id,
        reserved_quantity: row.reserved_quantity,
        backordered_quantity: row.backordered_quantity,
      }))
      return ok({ reservations: shown, pagination: { total: rows.length } })
    },
  }),
]
