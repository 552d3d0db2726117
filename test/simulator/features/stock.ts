import { changeStock, type ClientState, type Product } from '../client-state.ts'
import { numbered, ok, operation, refused, type Operation, type Request } from '../operation.ts'
import type { Random } from '../random.ts'
import { activeProducts, anyProduct, skuOf } from './catalog.ts'
import { anyLocation } from './locations.ts'

/** Levels and movements: sections "Stock" of the specification and the decisions, and section 2 of the extensions. */

interface AtLevel {
  product: number
  location: number
  quantity: number
  /** Compared with the level, where given; `true` is what the level is. */
  expected: boolean | null
  reason: string | null
}

function drawLevel(client: ClientState, random: Random, quantity: (weighable: boolean) => number): AtLevel | undefined {
  const product = random.one(activeProducts(client))
  const location = anyLocation(client, random)
  if (product === undefined || location === undefined) return undefined
  return {
    product: product.n,
    location: location.n,
    quantity: quantity(product.weighable),
    expected: random.chance(0.25) ? random.chance(0.8) : null,
    reason: random.of([null, null, 'inventory_count', 'shelf']),
  }
}

/** Of a product that is weighable, also fractions. */
export const anyQuantity = (random: Random, weighable: boolean, max: number): number =>
  weighable && random.chance(0.5) ? random.int(1, max * 8) / 8 : random.int(1, max)

const levelOf = (client: ClientState, product: Product, location: string): number => client.books.level(product.id, location)

/** A quantity to compare with: the level, or another one. */
const comparedWith = (expected: boolean | null, level: number): object =>
  expected === null ? {} : { expected_quantity: expected ? level : level + 1 }

const CAUSES = new Set(['order_fulfillment', 'manual_adjustment', 'stock_receipt', 'transfer', 'return', 'inventory_count'])
const causeOf = (reason: string | null, otherwise: string): string => (reason !== null && CAUSES.has(reason) ? reason : otherwise)

function parts(client: ClientState, input: { product: number; location: number }) {
  const product = numbered(client.products, input.product)
  const location = numbered(client.locations, input.location)
  return product === undefined || location === undefined ? undefined : { product, location: location.id }
}

export const STOCK: Operation[] = [
  operation<AtLevel>({
    id: 'stock.setLevel',
    weight: 4,
    draw: (client, random) => drawLevel(client, random, () => random.int(0, 20)),
    request(client, input) {
      const at = parts(client, input)
      if (at === undefined) return undefined
      const { product, location } = at
      const { quantity, reason, expected } = input
      const body = {
        location_id: location,
        quantity,
        reason: reason ?? undefined,
        ...comparedWith(expected, levelOf(client, product, location)),
      }
      return { method: 'PUT', path: `/stock/product/${product.id}`, body }
    },
    expect(client, input) {
      const { product, location } = parts(client, input) as NonNullable<ReturnType<typeof parts>>
      if (input.expected === false) return refused('quantity_conflict')
      const previous = levelOf(client, product, location)
      const { quantity, reason } = input
      const cause = causeOf(reason, 'inventory_count')
      changeStock(client, [{ product, location, change: quantity - previous, type: 'ADJUSTMENT', reason, cause }])
      return ok({ product_id: product.id, location_id: location, previous_quantity: previous, new_quantity: quantity })
    },
  }),

  operation<AtLevel & { bySku: boolean }>({
    id: 'stock.adjust',
    weight: 8,
    draw(client, random) {
      const at = drawLevel(client, random, (weighable) => anyQuantity(random, weighable, 12) * (random.chance(0.6) ? 1 : -1))
      const bySku = at !== undefined && numbered(client.products, at.product)?.sku !== null && random.chance(0.3)
      return at && { ...at, bySku }
    },
    request(client, input) {
      const at = parts(client, input)
      if (at === undefined) return undefined
      const { product, location } = at
      const body = {
        ...(input.bySku ? { sku: skuOf(client, product.n) } : { product_id: product.id }),
        location_id: location,
        adjustment_quantity: input.quantity,
        reason: input.reason ?? undefined,
        ...comparedWith(input.expected, levelOf(client, product, location)),
      }
      return { method: 'POST', path: '/stock/adjustment', body }
    },
    expect(client, input) {
      const { product, location } = parts(client, input) as NonNullable<ReturnType<typeof parts>>
      const { quantity, reason, bySku } = input
      const previous = levelOf(client, product, location)
      if (bySku && !product.isActive) return refused('not_found')
      if (input.expected === false) return refused('quantity_conflict')
      if (previous + quantity < 0) return refused('adjustment_error')
      const cause = causeOf(reason, 'manual_adjustment')
      changeStock(client, [{ product, location, change: quantity, type: quantity > 0 ? 'IN' : 'OUT', reason, cause }])
      const stock = {
        product_id: product.id,
        location_id: location,
        previous_quantity: previous,
        new_quantity: previous + quantity,
      }
      return ok({ type: quantity > 0 ? 'addition' : 'removal', quantity_adjusted: quantity, stock })
    },
  }),

  operation<{ product: number; location: number; to: number; quantity: number }>({
    id: 'stock.transfer',
    weight: 3,
    draw(client, random) {
      const product = random.one(activeProducts(client))
      const [location, to] = random.some(client.locations, 2)
      if (product === undefined || location === undefined || to === undefined) return undefined
      return { product: product.n, location: location.n, to: to.n, quantity: random.int(1, 6) }
    },
    request(client, { product, location, to, quantity }): Request | undefined {
      const [from, into] = [parts(client, { product, location }), parts(client, { product, location: to })]
      if (from === undefined || into === undefined) return undefined
      const body = { product_id: from.product.id, from_location_id: from.location, to_location_id: into.location, quantity }
      return { method: 'POST', path: '/stock/transfer', body }
    },
    expect(client, { product: n, location, to, quantity }) {
      const { product, location: from } = parts(client, { product: n, location }) as NonNullable<ReturnType<typeof parts>>
      const { location: into } = parts(client, { product: n, location: to }) as NonNullable<ReturnType<typeof parts>>
      const [fromLevel, intoLevel] = [levelOf(client, product, from), levelOf(client, product, into)]
      if (fromLevel < quantity) return refused('adjustment_error')
      const common = { product, type: 'TRANSFER', reason: null, cause: 'transfer' } as const
      changeStock(client, [
        { ...common, location: from, change: -quantity },
        { ...common, location: into, change: quantity },
      ])
      return ok({
        from: { previous_quantity: fromLevel, new_quantity: fromLevel - quantity },
        to: { previous_quantity: intoLevel, new_quantity: intoLevel + quantity },
      })
    },
  }),

  ...(['stock.bulk', 'stock.checkBulk'] as const).map((id) =>
    operation<{ items: AtLevel[]; bad: boolean }>({
      id,
      weight: id === 'stock.bulk' ? 2 : 0.5,
      draw(client, random) {
        const items = Array.from({ length: random.int(1, 4) }, () => drawLevel(client, random, () => random.int(0, 15)))
        // Of each product once: a low alert is then the call's, whatever the order of its items.
        const known = items.filter((item, index) => item && items.findIndex((other) => other?.product === item.product) === index)
        return known.length === 0 ? undefined : { items: known as AtLevel[], bad: random.chance(0.3) }
      },
      request(client, { items, bad }) {
        const updates = items.flatMap((item) => {
          const at = parts(client, item)
          if (at === undefined) return []
          const compared = comparedWith(item.expected, levelOf(client, at.product, at.location))
          return [{ product_id: at.product.id, location_id: at.location, quantity: item.quantity, ...compared }]
        })
        const path = id === 'stock.bulk' ? '/stock/bulk' : '/stock/bulk/check'
        const unknown = { sku: `${client.name}-none`, location_id: 'nowhere', quantity: 1 }
        return { method: 'POST', path, body: { updates: bad ? [...updates, unknown] : updates } }
      },
      expect(client, { items, bad }) {
        const errors: object[] = []
        const changes = items.flatMap((item) => {
          const at = parts(client, item)
          if (at === undefined) return []
          const previous = levelOf(client, at.product, at.location)
          if (item.expected === false) {
            errors.push({ product_id: at.product.id, current_quantity: previous })
            return []
          }
          return [
            { ...at, change: item.quantity - previous, type: 'ADJUSTMENT' as const, reason: null, cause: 'inventory_count' },
          ]
        })
        if (id === 'stock.bulk') changeStock(client, changes)
        return ok({ success: changes.length, errors: bad ? [...errors, { product_id: 0 }] : errors })
      },
    }),
  ),

  operation<{ product: number; limit: number }>({
    id: 'stock.movements',
    weight: 2,
    draw(client, random) {
      const product = anyProduct(client, random)
      return product && { product: product.n, limit: random.int(1, 7) }
    },
    request(client, { product, limit }) {
      const known = numbered(client.products, product)
      return known && { method: 'GET', path: `/stock/movements?product_id=${known.id}&limit=${limit}` }
    },
    expect(client, { product: n, limit }) {
      const product = numbered(client.products, n) as Product
      const movements = client.movements.filter((movement) => movement.product === product)
      const newest = movements.toReversed().slice(0, limit)
      return ok({
        // Those of one call have one time, and may come in any order.
        movements: (actual: unknown) => (actual as unknown[]).length === newest.length,
        pagination: { total: movements.length, page: 1, limit, total_pages: Math.ceil(movements.length / limit) },
      })
    },
  }),

  operation<{ product: number }>({
    id: 'stock.overview',
    weight: 0.5,
    draw(client, random) {
      const product = random.one(activeProducts(client))
      return product && { product: product.n }
    },
    request(client, { product }) {
      const known = numbered(client.products, product)
      return known && { method: 'GET', path: `/stock?search=${known.barcode}&limit=100` }
    },
    expect(client, input) {
      const product = numbered(client.products, input.product) as Product
      const quantity = [...client.books.levels(product.id).values()].reduce((total, level) => total + level, 0)
      return ok({
        products: (actual: unknown) =>
          !product.isActive ||
          (actual as { product_id: number; quantity: number }[]).some(
            (row) => row.product_id === product.id && row.quantity === quantity,
          ),
      })
    },
  }),
]
