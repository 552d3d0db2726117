import { setTimeout as delay } from 'node:timers/promises'
import { newNumber, type ClientState, type Hold, type Product } from '../client-state.ts'
import { difference } from '../difference.ts'
import { numbered, ok, operation, refused, type Data, type Operation, type Reader } from '../operation.ts'
import { activeProducts } from './catalog.ts'
import { shownHold } from './holds.ts'
import { warehouseAt } from './locations.ts'

/*
 * Holds that expire: section 4 of the extensions. The client makes no other call until the hold has expired and what it had has gone to whoever
 * waits: otherwise it would not be known on which side of the moment a call was.
 */

const TTL_SECONDS = 10
/** The specification says 5 seconds; servers that are killed and frozen, and a slow machine, take longer. */
const SWEPT_WITHIN_MS = 60_000
const LOOK_MS = 100

export const EXPIRING_HOLDS: Operation[] = [
  operation<{ n: number; product: number; part: number }>({
    id: 'holds.create',
    weight: 0.25,
    makesRecord: true,
    draw(client, random) {
      const free = activeProducts(client).filter(({ id }) => availableOf(client, id) >= 1)
      const product = client.policy === 'off' ? undefined : random.one(free)
      return product && { n: newNumber(client), product: product.n, part: random.next() }
    },
    request(client, { n, product, part }) {
      const known = numbered(client.products, product)
      const quantity = known === undefined ? 0 : quantityOf(client, known, part)
      const lines = [{ product_id: known?.id, quantity: Math.max(quantity, 1) }]
      const body = { reference: referenceOf(client, n), ttl_seconds: TTL_SECONDS, warehouse_id: warehouseAt(client, 0), lines }
      return known && { method: 'POST', path: '/holds', body }
    },
    expect(client, { n, product: number, part }, data) {
      const product = numbered(client.products, number) as Product
      const quantity = Math.max(quantityOf(client, product, part), 1)
      const wanted = [{ product: product.id, quantity }]
      if (client.policy === 'off') return refused('hold_error')
      if (!product.isActive) return refused('not_found', 'validation_error')
      if (!client.books.fits(wanted, warehouseAt(client, 0))) return refused('insufficient_stock')
      client.books.addHold(data.id, warehouseAt(client, 0), wanted)
      const book = client.books.holds.at(-1) as Hold['book']
      const held = [{ product, quantity }]
      const hold: Hold = { n, id: data.id, reference: referenceOf(client, n), book, lines: held, state: 'active', order: null }
      client.holds.push(hold)
      // Its answer may come late, or again: the state is that of the moment when it was made.
      return ok(shownHold(hold))
    },
    async afterwards(client, { n }, { expires_at: expiresAt }: Data) {
      const hold = numbered(client.state.holds, n) as Hold
      const product = hold.lines[0]?.product as Product
      await delay(Math.max(Date.parse(expiresAt) - Date.now(), 0) + 1)
      client.state.books.endHoldUnsettled(hold.book)
      hold.state = 'expired'
      await expectGone(client, hold, product)
      client.settle(() => client.state.books.settle())
      await untilSwept(client, product)
    },
  }),
]

const referenceOf = (client: ClientState, n: number): string => `${client.name}-h${n}`

const availableOf = (client: ClientState, product: number): number => {
  const { available, backordered } = client.books.numbers(product, warehouseAt(client, 0))
  return available - backordered
}

/** All of what is free at times, so that others must wait for it. */
const quantityOf = (client: ClientState, { id }: Product, part: number): number => {
  const free = Math.floor(availableOf(client, id))
  return part < 0.5 ? free : Math.ceil(part * free)
}

/** From its time on, a hold counts in no answer, swept or not. */
async function expectGone(client: Reader, hold: Hold, { id }: Product): Promise<void> {
  const { books } = client.state
  const warehouse = warehouseAt(client.state, 0)
  const shown = (await client.read(`/holds/${hold.id}`)).body.data
  const { held, reserved, available, on_hand } = books.numbers(id, warehouse)
  const numbers = (await client.read(`/stock/availability?product_id=${id}&warehouse_id=${warehouse}`)).body.data.availability[0]
  const isServed = numbers.backordered < books.numbers(id, warehouse).backordered
  const found =
    difference(shownHold(hold), shown, `expired hold ${hold.id}`) ??
    difference(
      // Who waits may have got something of it already.
      { held, on_hand, ...(isServed ? {} : { reserved, available }) },
      numbers,
      `availability of product ${id} once hold ${hold.id} has expired`,
    )
  if (found !== undefined) client.found(found)
}

/** What an expired hold had goes to whoever waits. */
async function untilSwept(client: Reader, { id }: Product): Promise<void> {
  const { books } = client.state
  const warehouse = warehouseAt(client.state, 0)
  const wanted = books.numbers(id, warehouse)
  const endsAt = Date.now() + SWEPT_WITHIN_MS
  for (;;) {
    const { body } = await client.read(`/stock/availability?product_id=${id}&warehouse_id=${warehouse}`)
    const { reserved, backordered, available } = body.data.availability[0]
    if (reserved === wanted.reserved && backordered === wanted.backordered && available === wanted.available) return
    if (Date.now() > endsAt)
      client.found(
        `product ${id} is not settled after the end of a hold: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(body.data)}`,
      )
    await delay(LOOK_MS)
  }
}
