import { emit, newNumber, sum, type ClientState, type Product } from '../client-state.ts'
import { numbered, ok, operation, refused, type Operation } from '../operation.ts'
import type { Random } from '../random.ts'
import { itemBarcode, itemBarcodeOf, MAX_ITEMS, weighedCode } from './weight-barcodes.ts'

/** Products and their barcodes: sections "Products" of the specification and the decisions, and section 9 of the extensions. */

const MAX_PRODUCTS = 8

interface NewProduct {
  n: number
  /** Takes the barcode of this product of the client. */
  barcodeOf: number | null
  sku: boolean
  price: number | null
  category: string | null
  threshold: number | null
  weighable: boolean
  percent: number
}

const barcodeOf = (client: ClientState, n: number): string => `${client.name}-p${n}`
/** An additional barcode of the client, by the number that it gave. */
export const additionalBarcode = (client: ClientState, n: number): string =>
  client.products.flatMap(({ barcodes }) => barcodes).find((one) => one.n === n)?.barcode ?? `${client.name}-b${n}`
export const skuOf = (client: ClientState, n: number): string => `${client.name}-s${n}`
export const activeProducts = (client: ClientState): Product[] => client.products.filter(({ isActive }) => isActive)
export const anyProduct = (client: ClientState, random: Random): Product | undefined => random.one(client.products)

export const totalOf = (client: ClientState, { id }: Product): number => sum([...client.books.levels(id).values()])

/** As `GET /products/{id}` and the list show it. */
export const shownProduct = (product: Product): object => ({
  id: product.id,
  barcode: product.barcode,
  external_id: product.sku,
  name: product.name,
  category: product.category,
  price: product.price,
  weighable: product.weighable,
  minimum_threshold: product.threshold,
  is_active: product.isActive,
  pick_tolerance_percent: product.tolerance === 0 ? undefined : 100 * product.tolerance,
})

export const shownLevels = (client: ClientState, { id }: Product): object[] =>
  [...client.books.levels(id)]
    .map(([location_id, quantity]) => ({ location_id, quantity }))
    .toSorted((a, b) => (a.location_id < b.location_id ? -1 : 1))

/** The seven numbers over all warehouses; undefined under `off`. */
function availabilityOf(client: ClientState, product: Product): object | undefined {
  if (client.policy === 'off') return undefined
  const all = client.warehouses.map((warehouse) => numbersOf(client, product, warehouse))
  const names = Object.keys(all[0] ?? {}) as (keyof ReturnType<typeof numbersOf>)[]
  return Object.fromEntries(names.map((name) => [name, sum(all.map((numbers) => numbers[name]))]))
}

/** The seven numbers of a product in a warehouse. */
export const numbersOf = (client: ClientState, product: Product, warehouse: number) => ({
  ...client.books.numbers(product.id, warehouse),
  incoming: incomingOf(client, product, warehouse),
})

/** What expected and receiving deliveries lack to their lines. */
const incomingOf = (client: ClientState, product: Product, at: number): number =>
  sum(
    client.deliveries
      .filter(({ warehouse }) => warehouse === at)
      .filter(({ kind, state }) => kind === 'inbound' && (state === 'expected' || state === 'receiving'))
      .flatMap(({ lines }) => lines.filter((line) => line.product === product))
      .map((line) => Math.max(line.quantity - line.restocked, 0)),
  )

/** The levels may come in any order. */
export const levelsTest =
  (client: ClientState, product: Product) =>
  (actual: unknown): boolean => {
    const given = (actual as { location_id: string; quantity: number }[]).map(({ location_id, quantity }) => ({
      location_id,
      quantity,
    }))
    return (
      JSON.stringify(given.toSorted((a, b) => (a.location_id < b.location_id ? -1 : 1))) ===
      JSON.stringify(shownLevels(client, product))
    )
  }

function emitCreated(client: ClientState, product: Product): void {
  emit(client, 'product/created', `product:${product.id}`, {
    product_id: product.id,
    sku: product.sku,
    barcode: product.barcode,
    name: product.name,
  })
}

const emitUpdated = (client: ClientState, product: Product, fields: string[]): void =>
  emit(client, 'product/updated', `product:${product.id}`, {
    product_id: product.id,
    name: product.name,
    updated_fields: (actual: unknown) =>
      JSON.stringify([...(actual as string[])].toSorted()) === JSON.stringify(fields.toSorted()),
  })

export const CATALOG: Operation[] = [
  operation<NewProduct>({
    id: 'products.create',
    weight: 4,
    makesRecord: true,
    draw(client, random) {
      const barcodeOf = random.chance(0.1) ? (random.one(client.products)?.n ?? null) : null
      if (client.products.length >= MAX_PRODUCTS && barcodeOf === null) return undefined
      const weighable = random.chance(0.3)
      return {
        n: newNumber(client),
        barcodeOf,
        sku: random.chance(0.8),
        price: random.chance(0.7) ? random.int(1, 400) / 4 : null,
        category: random.chance(0.5) ? random.of(['tea', 'bread']) : null,
        threshold: random.chance(0.5) ? random.int(3, 12) : null,
        weighable,
        percent: weighable && random.chance(0.6) ? 12.5 : 0,
      }
    },
    request: (client, { n, barcodeOf: taken, sku, price, category, threshold, weighable, percent }) => ({
      method: 'POST',
      path: '/products',
      body: {
        name: `Product ${n}`,
        barcode: barcodeOf(client, taken ?? n),
        ...(sku ? { sku: skuOf(client, n) } : {}),
        ...(price === null ? {} : { price }),
        ...(category === null ? {} : { category }),
        ...(threshold === null ? {} : { minimum_threshold: threshold }),
        weighable,
        pick_tolerance_percent: percent,
      },
    }),
    expect(client, { n, barcodeOf: taken, sku, price, category, threshold, weighable, percent }, data) {
      if (client.products.some((product) => product.n === taken)) return refused('already_exists')
      const product: Product = {
        n,
        id: data.id,
        barcode: barcodeOf(client, taken ?? n),
        sku: sku ? skuOf(client, n) : null,
        name: `Product ${n}`,
        category,
        price,
        threshold,
        weighable,
        tolerance: percent / 100,
        isActive: true,
        barcodes: [],
      }
      client.products.push(product)
      client.books.addProduct(product.id)
      emitCreated(client, product)
      const { barcode, sku: external_id, name } = product
      return ok({ barcode, external_id, name, category, price, is_active: true })
    },
  }),

  operation<{ product: number }>({
    id: 'products.get',
    weight: 2,
    draw: (client, random) => drawn(anyProduct(client, random)),
    request: (client, { product }) => read(numbered(client.products, product), ({ id }) => `/products/${id}`),
    expect(client, input) {
      const product = numbered(client.products, input.product) as Product
      return ok({ ...shownProduct(product), stock: levelsTest(client, product), availability: availabilityOf(client, product) })
    },
  }),

  operation<{ product: number }>({
    id: 'products.getBySku',
    weight: 1,
    draw: (client, random) => drawn(random.one(client.products.filter(({ sku }) => sku !== null))),
    request: (client, { product }) => read(numbered(client.products, product), ({ sku }) => `/products/sku/${sku}`),
    expect(client, input) {
      const product = numbered(client.products, input.product) as Product
      if (!product.isActive) return refused('not_found')
      return ok({
        id: product.id,
        name: product.name,
        stock: levelsTest(client, product),
        availability: availabilityOf(client, product),
      })
    },
  }),

  operation<{ product: number }>({
    id: 'stock.getBySku',
    weight: 1,
    draw: (client, random) => drawn(random.one(client.products.filter(({ sku }) => sku !== null))),
    request: (client, { product }) => read(numbered(client.products, product), ({ sku }) => `/stock/sku/${sku}`),
    expect(client, input) {
      const product = numbered(client.products, input.product) as Product
      if (!product.isActive) return refused('not_found')
      return ok({
        product_id: product.id,
        product_name: product.name,
        total_quantity: totalOf(client, product),
        locations: levelsTest(client, product),
        availability: availabilityOf(client, product),
      })
    },
  }),

  operation<{ search: string }>({
    id: 'products.list',
    weight: 1,
    draw: (client) => (client.products.length === 0 ? undefined : { search: `${client.name}-P` }),
    request: (_, { search }) => ({ method: 'GET', path: `/products?search=${search}&limit=100` }),
    expect(client) {
      const active = activeProducts(client)
      const ids = new Set(active.map(({ id }) => id))
      return ok({
        products: (actual: unknown) =>
          (actual as { id: number }[]).length === ids.size && (actual as { id: number }[]).every(({ id }) => ids.has(id)),
        pagination: { total: active.length },
      })
    },
  }),

  operation<{ product: number; change: { price?: number | null; name?: string; category?: string | null; is_active?: boolean } }>(
    {
      id: 'products.update',
      weight: 3,
      draw(client, random) {
        const product = anyProduct(client, random)
        if (product === undefined) return undefined
        const change = random.of<{ price?: number | null; name?: string; category?: string | null; is_active?: boolean }>([
          { price: random.int(1, 400) / 4 },
          { price: null },
          { name: `Renamed ${random.int(1, 9)}` },
          { category: random.of(['tea', 'bread', null]) },
          { is_active: true },
          {},
        ])
        return { product: product.n, change }
      },
      request(client, { product, change }) {
        const known = numbered(client.products, product)
        return known && { method: 'PUT', path: `/products/${known.id}`, body: change }
      },
      expect(client, { product: n, change }) {
        const product = numbered(client.products, n) as Product
        const now = {
          price: product.price,
          name: product.name,
          category: product.category,
          is_active: product.isActive,
        } as Record<string, unknown>
        const fields = Object.entries(change)
          .filter(([field, value]) => now[field] !== value)
          .map(([field]) => field)
        if (change.price !== undefined) product.price = change.price
        if (change.name !== undefined) product.name = change.name
        if (change.category !== undefined) product.category = change.category
        if (change.is_active !== undefined) product.isActive = change.is_active
        if (fields.length > 0) emitUpdated(client, product, fields)
        const { id, barcode, name, category, price } = product
        return ok({ id, barcode, name, category, price })
      },
    },
  ),

  operation<{ product: number }>({
    id: 'products.delete',
    weight: 1,
    draw: (client, random) => (client.products.length < 3 ? undefined : drawn(anyProduct(client, random))),
    request(client, { product }) {
      const known = numbered(client.products, product)
      return known && { method: 'DELETE', path: `/products/${known.id}` }
    },
    expect(client, input) {
      const product = numbered(client.products, input.product) as Product
      if (product.isActive)
        emit(client, 'product/deleted', `product:${product.id}`, {
          product_id: product.id,
          barcode: product.barcode,
          name: product.name,
        })
      product.isActive = false
      return ok({ product_id: product.id })
    },
  }),

  ...(['products.bulk', 'products.checkBulk'] as const).map((id) =>
    operation<{ items: { product: number; price: number }[]; bad: boolean }>({
      id,
      weight: 1,
      draw(client, random) {
        const products = random.some(client.products, random.int(1, 3))
        if (products.length === 0) return undefined
        return { items: products.map(({ n }) => ({ product: n, price: random.int(1, 40) / 4 })), bad: random.chance(0.3) }
      },
      request: (client, { items, bad }) => ({
        method: 'POST',
        path: id === 'products.bulk' ? '/products/bulk' : '/products/bulk/check',
        body: {
          products: [
            ...items.flatMap(({ product, price }) => {
              const known = numbered(client.products, product)
              return known === undefined ? [] : [{ barcode: known.barcode, price }]
            }),
            // A new product needs a name.
            ...(bad ? [{ barcode: `${client.name}-nameless` }] : []),
          ],
        },
      }),
      expect(client, { items, bad }) {
        let updated = 0
        for (const { product: n, price } of items) {
          const product = numbered(client.products, n)
          if (product === undefined) continue
          updated++
          if (id === 'products.checkBulk' || product.price === price) continue
          product.price = price
          emitUpdated(client, product, ['price'])
        }
        return ok({ created: 0, updated, errors: bad ? [{ barcode: `${client.name}-nameless` }] : [] })
      },
    }),
  ),

  operation<{ product: number; n: number; again: number | null; item: number | null; quantity: number }>({
    id: 'barcodes.add',
    weight: 2,
    // Not seen at quiet points, where a lost answer could be made out.
    makesRecord: true,
    draw(client, random) {
      const weighed = client.products.filter((one) => one.weighable && itemBarcodeOf(one) === undefined)
      const product = (random.chance(0.4) ? random.one(weighed) : undefined) ?? anyProduct(client, random)
      if (product === undefined || product.barcodes.length > 4) return undefined
      const again = random.chance(0.2) ? (random.one(product.barcodes)?.n ?? null) : null
      const isItem = product.weighable && itemBarcodeOf(product) === undefined && again === null && random.chance(0.8)
      const item = isItem && client.items < MAX_ITEMS ? client.items++ : null
      return { product: product.n, n: newNumber(client), again, item, quantity: item === null ? random.of([1, 6, 12]) : 1 }
    },
    request(client, { product, n, again, item, quantity }) {
      const known = numbered(client.products, product)
      const barcode = item === null ? additionalBarcode(client, again ?? n) : itemBarcode(client, item)
      return (
        known && { method: 'POST', path: `/products/${known.id}/barcodes`, body: { barcode, quantity, name: `of ${quantity}` } }
      )
    },
    expect(client, { product: number, n, again, item, quantity }) {
      const product = numbered(client.products, number) as Product
      const barcode = item === null ? additionalBarcode(client, again ?? n) : itemBarcode(client, item)
      const existing = product.barcodes.find((other) => other.barcode === barcode)
      if (existing !== undefined && existing.quantity !== quantity) return refused('already_exists')
      if (existing === undefined) product.barcodes.push({ n: again ?? n, barcode, quantity, name: `of ${quantity}` })
      return ok({ barcode, quantity, name: `of ${quantity}`, is_primary: false })
    },
  }),

  operation<{ product: number; barcode: number }>({
    id: 'barcodes.remove',
    weight: 1,
    // Not seen at quiet points, where a lost answer could be made out.
    makesRecord: true,
    draw(client, random) {
      const product = random.one(client.products.filter(({ barcodes }) => barcodes.length > 0))
      const barcode = product && random.one(product.barcodes)
      return barcode && random.chance(0.4) ? { product: product.n, barcode: barcode.n } : undefined
    },
    request(client, { product, barcode }) {
      const known = numbered(client.products, product)
      return known && { method: 'DELETE', path: `/products/${known.id}/barcodes/${additionalBarcode(client, barcode)}` }
    },
    expect(client, { product: n, barcode }) {
      const product = numbered(client.products, n) as Product
      if (numbered(product.barcodes, barcode) === undefined) return refused('not_found')
      const removed = additionalBarcode(client, barcode)
      product.barcodes = product.barcodes.filter((other) => other.n !== barcode)
      return ok({ product_id: product.id, barcode: removed })
    },
  }),

  operation<{ product: number }>({
    id: 'barcodes.list',
    weight: 1,
    draw: (client, random) => drawn(anyProduct(client, random)),
    request: (client, { product }) => read(numbered(client.products, product), ({ id }) => `/products/${id}/barcodes`),
    expect(client, input) {
      const { barcode, barcodes } = numbered(client.products, input.product) as Product
      const additional = barcodes.map(({ barcode: code, quantity, name }) => ({
        barcode: code,
        quantity,
        name,
        is_primary: false,
      }))
      return ok({ barcodes: [{ barcode, quantity: 1, is_primary: true }, ...additional] })
    },
  }),

  operation<{ product: number; barcode: number | null; weight: number }>({
    id: 'barcodes.scan',
    weight: 2,
    draw(client, random) {
      const weighed = client.products.filter((one) => itemBarcodeOf(one) !== undefined)
      const product = (random.chance(0.3) ? random.one(weighed) : undefined) ?? anyProduct(client, random)
      return product && { product: product.n, barcode: random.one(product.barcodes)?.n ?? null, weight: random.int(1, 80) / 8 }
    },
    request: (client, { product, barcode: n, weight }) =>
      read(numbered(client.products, product), (known) => {
        const barcode = n === null ? known.barcode : additionalBarcode(client, n)
        return `/scan?code=${barcode === itemBarcodeOf(known) ? weighedCode(barcode, weight) : barcode}`
      }),
    expect(client, { product: number, barcode: n, weight }) {
      const product = numbered(client.products, number) as Product
      const pack = n === null ? { barcode: product.barcode, quantity: 1 } : numbered(product.barcodes, n)
      if (pack === undefined) return refused('not_found')
      const isWeighed = pack.barcode === itemBarcodeOf(product)
      return ok({
        product: { id: product.id, is_active: product.isActive },
        barcode: pack.barcode,
        pack_quantity: pack.quantity,
        quantity: isWeighed ? weight : pack.quantity,
        weight: isWeighed ? weight : null,
        gtin: null,
      })
    },
  }),
]

const drawn = (product: Product | undefined): { product: number } | undefined => product && { product: product.n }

const read = <T>(record: T | undefined, path: (record: T) => string) =>
  record === undefined ? undefined : { method: 'GET' as const, path: path(record) }
