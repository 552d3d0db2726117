import {
  changeStock,
  emit,
  levelKey,
  newNumber,
  type ClientState,
  type Count,
  type CountLine,
  type Location,
  type Product,
} from '../client-state.ts'
import { allNumbered, numbered, ok, operation, refused, type Operation } from '../operation.ts'
import { sameRows } from '../quiet/same-rows.ts'
import type { Random } from '../random.ts'
import { anyLocation, drawWarehouse, warehouseAt } from './locations.ts'

/** Stock counts by locations, by products and by both, also blind ones: section 8 of the extensions. */

const any = (client: ClientState, random: Random): Count | undefined => {
  const running = client.counts.filter(({ state }) => state === 'counting' || state === 'review')
  return random.one(random.chance(0.85) ? running : client.counts.slice(-8))
}

const isRunning = ({ state }: Count): boolean => state === 'counting' || state === 'review'

/** Who counts is not to know what should be there. */
const isHidden = ({ blind, state }: Count): boolean => blind && state === 'counting'

/** The lines, whatever their order. */
const linesTest =
  (client: ClientState, count: Count) =>
  (actual: unknown): true | string => {
    const expectedOf = (line: CountLine): number | null =>
      isHidden(count)
        ? null
        : line.counted !== null
          ? line.expected
          : isRunning(count)
            ? client.books.level(line.product.id, line.location)
            : null
    const wanted = count.lines.map((line) => [
      line.product.id,
      line.location,
      line.counted,
      expectedOf(line),
      line.counted === null || isHidden(count) ? null : line.counted - (line.expected ?? 0),
    ])
    const given = (actual as Record<string, unknown>[]).map((row) => [
      row.product_id,
      row.location_id,
      row.counted_quantity,
      row.expected_quantity,
      row.variance,
    ])
    return sameRows('lines', wanted, given) ?? true
  }

export const shownCount = (count: Count): object => ({
  id: count.id,
  reference: count.reference,
  state: count.state,
  warehouse_id: count.warehouse,
  blind: count.blind,
  location_ids: count.locations,
  product_ids: count.products?.map(({ id }) => id) ?? null,
  lines_total: count.lines.length,
  lines_counted: count.lines.filter(({ counted }) => counted !== null).length,
  lines_different: isHidden(count)
    ? null
    : count.lines.filter(({ counted, expected }) => counted !== null && counted !== expected).length,
})

const shownDetails = (client: ClientState, count: Count): object => ({ ...shownCount(count), lines: linesTest(client, count) })

/** A level that the count is about, which is not a line yet. */
const isInScope = (client: ClientState, count: Count, product: Product, location: string): boolean =>
  client.books.locations.get(location)?.warehouse === count.warehouse &&
  (count.locations?.includes(location) ?? true) &&
  (count.products?.includes(product) ?? true)

function changeState(client: ClientState, count: Count, state: Count['state'], previous: Count['state'] | null): void {
  count.state = state
  emit(client, 'count/updated', `count:${count.id}`, { count_id: count.id, state, previous_state: previous })
}

const request = (client: ClientState, n: number, method: 'GET' | 'POST', rest = '') => {
  const count = numbered(client.counts, n)
  return count && { method, path: `/counts/${count.id}${rest}` }
}

/** Why it can't be posted, or undefined. */
const isStale = (client: ClientState, { product, location, counted, expected, adjustments }: CountLine): boolean =>
  counted !== null &&
  ((client.adjustments.get(levelKey(product, location)) ?? 0) !== adjustments ||
    client.books.level(product.id, location) + counted - (expected ?? 0) < 0)

const STATE_CALLS = {
  submit: { from: ['counting'], to: 'review' },
  reopen: { from: ['review'], to: 'counting' },
  cancel: { from: ['counting', 'review'], to: 'cancelled' },
} as const

export const COUNTS: Operation[] = [
  operation<{ n: number; warehouse: number; locations: number[]; products: number[]; blind: boolean }>({
    id: 'counts.create',
    weight: 1.5,
    makesRecord: true,
    draw(client, random) {
      if (client.counts.filter(isRunning).length >= 5) return undefined
      const warehouse = drawWarehouse(random)
      const isThere = (location: Location): boolean => location.warehouse === warehouseAt(client, warehouse)
      const places = random.some(random.chance(0.95) ? client.locations.filter(isThere) : client.locations, random.int(1, 2))
      const products = random.some(client.products, random.int(1, 3)).map(({ n }) => n)
      const scope = random.of(['locations', 'products', 'both'])
      return {
        n: newNumber(client),
        warehouse,
        locations: scope === 'products' ? [] : places.map(({ n }) => n),
        products: scope === 'locations' ? [] : products,
        blind: random.chance(0.4),
      }
    },
    request(client, { n, warehouse, locations, products, blind }) {
      const [places, known] = [allNumbered(client.locations, locations), allNumbered(client.products, products)]
      if (places === undefined || known === undefined || places.length + known.length === 0) return undefined
      const body = {
        reference: `${client.name}-count${n}`,
        warehouse_id: warehouseAt(client, warehouse),
        ...(places.length === 0 ? {} : { location_ids: places.map(({ id }) => id) }),
        ...(known.length === 0 ? {} : { product_ids: known.map(({ id }) => id) }),
        blind,
      }
      return { method: 'POST', path: '/counts', body }
    },
    expect(client, { n, warehouse: position, locations, products, blind }, data) {
      const warehouse = warehouseAt(client, position)
      const places = (allNumbered(client.locations, locations) ?? []).map(({ id }) => id)
      const known = allNumbered(client.products, products) ?? []
      const count: Count = {
        n,
        id: data.id,
        reference: `${client.name}-count${n}`,
        state: 'counting',
        warehouse,
        locations: places.length === 0 ? null : places,
        products: known.length === 0 ? null : known,
        blind,
        lines: [],
      }
      const isElsewhere = ({ id, warehouse: other }: Location): boolean => places.includes(id) && other !== warehouse
      for (const product of client.products)
        for (const [location, quantity] of client.books.levels(product.id))
          if (quantity > 0 && isInScope(client, count, product, location))
            count.lines.push({ product, location, counted: null, expected: null, adjustments: 0 })
      if (client.locations.some(isElsewhere) || count.lines.length === 0) return refused('validation_error')
      client.counts.push(count)
      changeState(client, count, 'counting', null)
      return ok(shownDetails(client, count))
    },
  }),

  operation<{ count: number; n: number; product: number; location: number; quantity: number }>({
    id: 'counts.addEntry',
    weight: 4,
    makesRecord: true,
    draw(client, random) {
      const count = any(client, random)
      const line = count && random.one(count.lines)
      const product = random.chance(0.7) ? line?.product : random.one(client.products)
      const location = random.chance(0.9) ? client.locations.find(({ id }) => id === line?.location) : anyLocation(client, random)
      if (count === undefined || product === undefined || location === undefined) return undefined
      const level = client.books.level(product.id, location.id)
      const quantity = random.chance(0.5) && (product.weighable || level % 1 === 0) ? level : random.int(0, 9)
      return { count: count.n, n: newNumber(client), product: product.n, location: location.n, quantity }
    },
    request(client, { count, n, product, location, quantity }) {
      const [known, at] = [numbered(client.products, product), numbered(client.locations, location)]
      const path = request(client, count, 'POST', '/entries')
      const body = { product_id: known?.id, location_id: at?.id, quantity, entry_id: `entry/${n}` }
      return path && known && at && { ...path, body }
    },
    expect(client, { count: number, n, product: productNumber, location: locationNumber, quantity }) {
      const count = numbered(client.counts, number) as Count
      const product = numbered(client.products, productNumber) as Product
      const location = (numbered(client.locations, locationNumber) as Location).id
      let line = count.lines.find((one) => one.product === product && one.location === location)
      if (count.state !== 'counting' || (line === undefined && !isInScope(client, count, product, location)))
        return refused('count_error')
      if (line === undefined) count.lines.push((line = { product, location, counted: null, expected: null, adjustments: 0 }))
      // The entry makes a level that does not exist, so that there is something to lock.
      if (!client.books.levels(product.id).has(location)) client.books.setLevels([{ product: product.id, location, quantity: 0 }])
      line.counted = quantity
      line.expected = client.books.level(product.id, location)
      line.adjustments = client.adjustments.get(levelKey(product, location)) ?? 0
      const shown = {
        counted_quantity: quantity,
        expected_quantity: count.blind ? null : line.expected,
        variance: count.blind ? null : quantity - line.expected,
      }
      return ok({ entry_id: `entry/${n}`, line: { product_id: product.id, location_id: location, ...shown } })
    },
  }),

  ...(['submit', 'reopen', 'cancel'] as const).map((verb) =>
    operation<{ count: number }>({
      id: `counts.${verb}`,
      weight: verb === 'submit' ? 2 : 0.4,
      draw(client, random) {
        const count = any(client, random)
        return count && { count: count.n }
      },
      request: (client, { count }) => request(client, count, 'POST', `/${verb}`),
      expect(client, input) {
        const count = numbered(client.counts, input.count) as Count
        const { from, to } = STATE_CALLS[verb]
        if (count.state !== to) {
          if (!from.some((state) => state === count.state)) return refused('count_error')
          changeState(client, count, to, count.state)
        }
        return ok(shownDetails(client, count))
      },
    }),
  ),

  operation<{ count: number }>({
    id: 'counts.approve',
    weight: 2,
    draw(client, random) {
      const count = random.one(client.counts.filter(({ state }) => state === 'review')) ?? any(client, random)
      return count && { count: count.n }
    },
    request: (client, { count }) => request(client, count, 'POST', '/approve'),
    expect(client, input) {
      const count = numbered(client.counts, input.count) as Count
      if (count.state !== 'approved') {
        if (count.state !== 'review' || count.lines.some((line) => isStale(client, line))) return refused('count_error')
        const counted = count.lines.filter((line) => line.counted !== null)
        const common = { type: 'ADJUSTMENT', reason: 'inventory_count', cause: 'inventory_count' } as const
        changeStock(
          client,
          counted.map(({ product, location, counted: quantity, expected }) => ({
            ...common,
            product,
            location,
            change: (quantity ?? 0) - (expected ?? 0),
          })),
        )
        changeState(client, count, 'approved', 'review')
      }
      return ok(shownDetails(client, count))
    },
  }),

  operation<{ count: number }>({
    id: 'counts.get',
    weight: 1,
    draw(client, random) {
      const count = any(client, random)
      return count && { count: count.n }
    },
    request: (client, { count }) => request(client, count, 'GET'),
    expect(client, input) {
      const count = numbered(client.counts, input.count) as Count
      return ok(shownDetails(client, count))
    },
  }),

  operation<{ count: number }>({
    id: 'counts.list',
    weight: 0.5,
    draw(client, random) {
      const count = any(client, random)
      return count && { count: count.n }
    },
    request(client, { count }) {
      const known = numbered(client.counts, count)
      return known && { method: 'GET', path: `/counts?reference=${known.reference}` }
    },
    expect: (client, { count }) =>
      ok({ counts: [shownCount(numbered(client.counts, count) as Count)], pagination: { total: 1 } }),
  }),
]
