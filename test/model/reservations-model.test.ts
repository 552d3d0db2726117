import fc from 'fast-check'
import { expect } from 'vitest'
import { it } from '../support/it.ts'
import { orderFor } from '../support/orders.ts'
import { OPERATOR, type PickableProduct } from '../support/picking.ts'
import { expireHold, reserve } from '../support/reservations.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { Model, type ModelHold, type ModelOrder, type Policy } from './reservations/model.ts'

/** `MODEL_RUNS=500` is the long form. */
const RUNS = Number(process.env.MODEL_RUNS ?? 4)
/** In the default warehouse: A and B stay there. The last one is in the other warehouse, and stays there. */
const LOCATIONS = ['A', 'B', 'C', 'D', 'North']
const MOVING = ['C', 'D']
/** Of the third product. With it, the bounds of lines are exact. */
const TOLERANCE = 0.25
const WEIGHED = { weighable: true, pick_tolerance_percent: 100 * TOLERANCE }
const DATES = ['2026-12-01', '2026-12-02', '2026-12-03']

/** Numbers that each step takes its choices from. */
type Step = { kind: (typeof KINDS)[number]; choices: number[] }
/** More of what is frequent, and of what needs others before. */
const KINDS = [
  'order',
  'order',
  'order',
  'cancel',
  'complete',
  'date',
  'date',
  'set',
  'adjust',
  'setSeveral',
  'transfer',
  'sellable',
  'move',
  'flow',
  'pick',
  'pick',
  'pick',
  'pickElsewhere',
  'pickElsewhere',
  'pickReserved',
  'undo',
  'cancelFlow',
  'completeFlow',
  'hold',
  'hold',
  'changeHold',
  'release',
  'expire',
  'policy',
] as const

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  choices: fc.array(fc.nat(1_000), { minLength: 10, maxLength: 10 }),
})

interface OrderFields {
  date: string
  warehouse: number
  mayWait: boolean
  hold: ModelHold | undefined
}

class Run {
  readonly service: TestService
  readonly tenant: TestTenant
  readonly products: PickableProduct[]
  readonly model: Model
  #choices: number[] = []
  #names = 0
  #called = false

  constructor(service: TestService, tenant: TestTenant, products: PickableProduct[], model: Model) {
    this.service = service
    this.tenant = tenant
    this.products = products
    this.model = model
  }

  async step({ kind, choices }: Step): Promise<void> {
    this.#choices = [...choices]
    this.#called = false
    await this[kind]()
    // Without a suitable record, the step makes no call.
    if (this.#called) await this.#compare()
  }

  #below(limit: number): number {
    return (this.#choices.shift() ?? 0) % limit
  }
  #one<T>(items: readonly T[]): T | undefined {
    return items[this.#below(Math.max(items.length, 1))]
  }
  #product(): PickableProduct {
    return this.#one(this.products) as PickableProduct
  }
  #toleranceOf(product: number): number {
    return product === this.products[2]?.id ? TOLERANCE : 0
  }
  #location(): string {
    return this.#one(LOCATIONS) as string
  }
  /** Mostly the default one. */
  #warehouse(): number {
    return this.model.warehouses[this.#below(4) === 0 ? 1 : 0] as number
  }
  #order(isWanted: (order: ModelOrder) => boolean): ModelOrder | undefined {
    return this.#one(this.model.orders.filter((order) => order.isOpen && isWanted(order)))
  }
  #hold(): ModelHold | undefined {
    return this.#one(this.model.holds.filter(({ isActive }) => isActive))
  }
  /** Makes a call that succeeds, or fails with the code of `refusal`. */
  async #call(method: string, path: string, body?: unknown, refusal?: string) {
    this.#called = true
    const response = await this.tenant.request(method, path, body)
    expect([method, path, response.status, response.body.error?.code]).toEqual([
      method,
      path,
      refusal === undefined ? 200 : expect.any(Number),
      refusal,
    ])
    return response.body.data
  }
  #lines(most: number) {
    return Array.from({ length: 1 + this.#below(2) }, () => ({ product: this.#product(), quantity: 1 + this.#below(most) }))
  }

  async order(): Promise<void> {
    const [mayWait, useHold, warehouse] = [this.#below(3) > 0, this.#below(3) === 0, this.#warehouse()]
    const date = this.#one(DATES) as string
    const hold = useHold ? this.#one(this.model.holds) : undefined
    await this.#create({ date, warehouse, mayWait, hold }, this.#lines(5))
  }

  async #create(order: OrderFields, lines: { product: PickableProduct; quantity: number }[]): Promise<void> {
    const { date, warehouse, mayWait, hold } = order
    const body = await orderFor(this.tenant, {
      assembly_date: date,
      warehouse_id: warehouse,
      allow_backorder: mayWait,
      ...(hold === undefined ? {} : { hold: `cart ${this.model.holds.indexOf(hold)}` }),
      order_detail: lines.map(({ product, quantity }) => ({ barcode: product.barcode, quantity })),
    })
    const wanted = lines.map(({ product, quantity }) => ({ product: product.id, quantity }))
    const refusal = this.#refusalOf(wanted, order)
    const data = await this.#call('POST', '/orders', body, refusal)
    if (refusal !== undefined) return
    const [{ id, reservation_status: status }] = data.orders
    const { order_detail: detail } = await this.#call('GET', `/orders/${id}`)
    const created = wanted.map((line, index) => ({
      ...line,
      id: detail[index].id,
      picked: 0,
      tolerance: this.#toleranceOf(line.product),
      reserved: 0,
      backordered: 0,
    }))
    this.model.addOrder({ id, warehouse, date, lines: created }, hold)
    expect(status).toBe(this.model.statusOf(this.model.orders.at(-1) as ModelOrder))
  }

  #refusalOf(wanted: { product: number; quantity: number }[], { warehouse, mayWait, hold }: OrderFields): string | undefined {
    const { model } = this
    if (model.policy === 'off') return undefined
    if (hold !== undefined && hold.warehouse !== warehouse) return 'validation_error'
    return model.policy === 'strict' && !mayWait && !model.fits(wanted, warehouse, hold) ? 'insufficient_stock' : undefined
  }

  async set(): Promise<void> {
    await this.#set(this.#product().id, this.#location(), this.#below(12))
  }
  async #set(product: number, location: string, quantity: number): Promise<void> {
    await this.#call('PUT', `/stock/product/${product}`, { location_id: location, quantity })
    this.model.setLevels([{ product, location, quantity }])
  }

  async adjust(): Promise<void> {
    const [{ id: product }, location, change] = [this.#product(), this.#location(), this.#below(9) - 4 || 1]
    const quantity = this.model.level(product, location) + change
    const body = { product_id: product, location_id: location, adjustment_quantity: change }
    await this.#call('POST', '/stock/adjustment', body, quantity < 0 ? 'adjustment_error' : undefined)
    if (quantity >= 0) this.model.setLevels([{ product, location, quantity }])
  }

  async setSeveral(): Promise<void> {
    const levels = [1, 2].map(() => ({ product: this.#product().id, location: this.#location(), quantity: this.#below(12) }))
    const updates = levels.map(({ product, location, quantity }) => ({ product_id: product, location_id: location, quantity }))
    await this.#call('POST', '/stock/bulk', { updates })
    this.model.setLevels(levels)
  }

  async transfer(): Promise<void> {
    const [{ id: product }, from, to, quantity] = [this.#product(), this.#location(), this.#location(), 1 + this.#below(4)]
    const left = this.model.level(product, from) - quantity
    const refusal = from === to ? 'validation_error' : left < 0 ? 'adjustment_error' : undefined
    const body = { product_id: product, from_location_id: from, to_location_id: to, quantity }
    await this.#call('POST', '/stock/transfer', body, refusal)
    if (refusal !== undefined) return
    const moved = { product, location: to, quantity: this.model.level(product, to) + quantity }
    this.model.setLevels([{ product, location: from, quantity: left }, moved])
  }

  async sellable(): Promise<void> {
    const [location, isSellable] = [this.#location(), this.#below(2) === 0]
    await this.#call('PUT', `/locations/${location}`, { sellable: isSellable })
    this.model.setLocation(location, { isSellable })
  }

  async move(): Promise<void> {
    const [location, warehouse] = [this.#one(MOVING) as string, this.#one(this.model.warehouses) as number]
    await this.#call('PUT', `/locations/${location}`, { warehouse_id: warehouse })
    this.model.setLocation(location, { warehouse })
  }

  async cancel(): Promise<void> {
    const order = this.#order(() => true)
    if (order === undefined) return
    await this.#call('POST', `/orders/${order.id}/cancel`)
    this.model.endOrder(order, true)
  }

  async complete(): Promise<void> {
    const order = this.#order(({ flow }) => flow === undefined)
    if (order === undefined) return
    await this.#call('PUT', `/orders/${order.id}`, { state_id: 5 })
    this.model.endOrder(order, false)
  }

  async date(): Promise<void> {
    const order = this.#order(() => true)
    const date = this.#one(DATES) as string
    if (order === undefined) return
    await this.#call('PUT', `/orders/${order.id}`, { assembly_date: date })
    order.date = date
  }

  async flow(): Promise<void> {
    const order = this.#order(({ flow }) => flow === undefined)
    if (order !== undefined) await this.#startFlow(order)
  }
  async #startFlow(order: ModelOrder): Promise<void> {
    const { id } = await this.#call('POST', '/flows', { order_id: order.id, ...OPERATOR })
    order.flow = { id, picks: [] }
  }

  async pick(): Promise<void> {
    const order = this.#order(({ flow }) => flow !== undefined)
    const ordered = this.#one(order?.lines ?? [])?.product
    const [any, location, units] = [this.#product().id, this.#location(), this.#below(12)]
    if (order === undefined) return
    // Seldom one that is not in the order.
    const product = ordered === undefined || this.#below(10) === 0 ? any : ordered
    // Bounds of the tolerance of a quarter are reached, and passed.
    await this.#pick(order, product, location, this.#toleranceOf(product) > 0 ? (1 + units) / 4 : 1 + (units % 3))
  }

  /**
   * Picks from where nothing is reserved, for an order with a line that is reserved in part while another one waits before it: if the pick
   * took from what is reserved, the other one would get it.
   */
  async pickElsewhere(): Promise<void> {
    if (this.#telling().length === 0) await this.#makeShortage()
    const [order, line] = this.#one(this.#telling()) ?? []
    if (order === undefined || line === undefined) return
    const location = this.#one(LOCATIONS.filter((id) => this.model.isElsewhere(order, id)))
    if (location === undefined) return
    const quantity = 1 + this.#below(2)
    if (order.flow === undefined) await this.#startFlow(order)
    if (this.model.level(line.product, location) < quantity) await this.#set(line.product, location, 5)
    await this.#pick(order, line.product, location, quantity)
  }

  #telling(): [order: ModelOrder, line: ModelOrder['lines'][number]][] {
    const waiting = this.model.reservations().filter(({ backordered_quantity: backordered }) => backordered > 0)
    const first = (product: number, warehouse: number) =>
      waiting.find((row) => row.product_id === product && row.warehouse_id === warehouse)
    return this.#partlyReserved().filter(([{ warehouse }, { id, product }]) => first(product, warehouse)?.order_detail_id !== id)
  }
  #partlyReserved(): [order: ModelOrder, line: ModelOrder['lines'][number]][] {
    return this.model.orders
      .filter(({ isOpen }) => isOpen)
      .flatMap((order) => order.lines.map((line): [ModelOrder, typeof line] => [order, line]))
      .filter(([, { reserved, backordered }]) => reserved > 0 && backordered > 0)
  }

  /** One order takes what is available and waits for more, and an earlier one gets nothing. */
  async #makeShortage(): Promise<void> {
    const [product, warehouse] = [this.#product(), this.#warehouse()]
    const { available } = this.model.numbers(product.id, warehouse)
    if (available <= 0) return
    const fields = { warehouse, mayWait: true, hold: undefined }
    await this.#create({ ...fields, date: DATES[2] as string }, [{ product, quantity: Math.ceil(available) + 2 }])
    await this.#create({ ...fields, date: DATES[0] as string }, [{ product, quantity: 1 }])
  }

  /**
   * Picks what is reserved for a line of which a part waits, while a hold or a later line has some: if the pick took from what waits, that one
   * would lose it.
   */
  async pickReserved(): Promise<void> {
    if (this.#rivalled().length === 0) await this.#makeRival()
    const [order, line] = this.#one(this.#rivalled()) ?? []
    if (order === undefined || line === undefined) return
    const location = LOCATIONS.find((id) => !this.model.isElsewhere(order, id) && this.model.level(line.product, id) >= 1)
    if (location === undefined) return
    if (order.flow === undefined) await this.#startFlow(order)
    await this.#pick(order, line.product, location, 1)
  }

  /** Lines that are reserved in part, with others that lose before them. */
  #rivalled(): [order: ModelOrder, line: ModelOrder['lines'][number]][] {
    const reserved = this.model.reservations().filter(({ reserved_quantity: quantity }) => quantity > 0)
    return this.#partlyReserved().filter(([{ warehouse }, { id, product }]) => {
      const rows = reserved.filter((row) => row.product_id === product && row.warehouse_id === warehouse)
      return rows.at(-1)?.order_detail_id !== id
    })
  }

  /** A late order is reserved, and an earlier one takes the rest and waits for more. */
  async #makeRival(): Promise<void> {
    const [product, warehouse] = [this.#product(), this.#warehouse()]
    const { available } = this.model.numbers(product.id, warehouse)
    if (available <= 1) return
    const fields = { warehouse, mayWait: true, hold: undefined }
    await this.#create({ ...fields, date: DATES[2] as string }, [{ product, quantity: 1 }])
    await this.#create({ ...fields, date: DATES[0] as string }, [{ product, quantity: Math.ceil(available) + 1 }])
  }

  async #pick(order: ModelOrder, product: number, location: string, quantity: number): Promise<void> {
    const { model } = this
    const refusal =
      !order.lines.some((line) => line.product === product) || model.room(order, product) < quantity
        ? 'flow_error'
        : model.level(product, location) < quantity
          ? 'adjustment_error'
          : undefined
    const pickId = `pick ${++this.#names}`
    const body = { product_id: product, location_id: location, quantity, pick_id: pickId }
    await this.#call('POST', `/flows/${order.flow?.id}/picks`, body, refusal)
    if (refusal === undefined) model.pick(order, pickId, product, location, quantity)
  }

  async undo(): Promise<void> {
    const order = this.#order(({ flow }) => (flow?.picks.length ?? 0) > 0)
    const pick = this.#one(order?.flow?.picks ?? [])
    if (order === undefined || pick === undefined) return
    await this.#call('DELETE', `/flows/${order.flow?.id}/picks/${encodeURIComponent(pick.id)}`)
    this.model.undo(order, pick.id)
  }

  async cancelFlow(): Promise<void> {
    const order = this.#order(({ flow }) => flow !== undefined)
    if (order === undefined) return
    await this.#call('POST', `/flows/${order.flow?.id}/cancel`)
    this.model.cancelFlow(order)
  }

  async completeFlow(): Promise<void> {
    const order = this.#order(({ flow }) => flow !== undefined)
    if (order === undefined) return
    await this.#call('POST', `/flows/${order.flow?.id}/complete`)
    this.model.completeFlow(order)
  }

  async hold(): Promise<void> {
    const { model } = this
    const [lines, warehouse] = [this.#lines(4), this.#warehouse()]
    const wanted = lines.map(({ product, quantity }) => ({ product: product.id, quantity }))
    const body = {
      reference: `cart ${model.holds.length}`,
      warehouse_id: warehouse,
      lines: lines.map(({ product: { sku }, quantity }) => ({ sku, quantity })),
    }
    const refusal = model.policy === 'off' ? 'hold_error' : model.fits(wanted, warehouse) ? undefined : 'insufficient_stock'
    const data = await this.#call('POST', '/holds', body, refusal)
    if (refusal === undefined) model.addHold(data.id, warehouse, wanted)
  }

  async changeHold(): Promise<void> {
    const hold = this.#hold()
    const lines = this.#lines(4)
    if (hold === undefined) return
    const wanted = lines.map(({ product, quantity }) => ({ product: product.id, quantity }))
    const fits = this.model.fits(wanted, hold.warehouse, hold)
    const body = { lines: lines.map(({ product: { barcode }, quantity }) => ({ barcode, quantity })) }
    await this.#call('PUT', `/holds/${hold.id}`, body, fits ? undefined : 'insufficient_stock')
    if (fits) this.model.changeHold(hold, wanted)
  }

  async release(): Promise<void> {
    const hold = this.#hold()
    if (hold === undefined) return
    await this.#call('DELETE', `/holds/${hold.id}`)
    this.model.endHold(hold)
  }

  /** It counts in no answer at once. What it kept goes to who waits for it at the latest with the next change of the product. */
  async expire(): Promise<void> {
    const hold = this.#hold()
    if (hold === undefined) return
    await expireHold(this.service.db, hold.id)
    const held = [...new Set(hold.lines.map(({ product }) => product))]
    this.model.endHold(hold)
    for (const product of held) {
      const [numbers] = (await this.#call('GET', `/stock/availability?product_id=${product}&warehouse_id=${hold.warehouse}`))
        .availability
      expect(numbers.held).toBe(this.model.numbers(product, hold.warehouse).held)
      const location = LOCATIONS.find((id) => this.model.locations.get(id)?.warehouse === hold.warehouse) as string
      await this.#set(product, location, this.model.level(product, location) + 1)
    }
  }

  /** Turns reserving off now and then, makes some calls, and turns it on again. */
  async policy(): Promise<void> {
    const { model } = this
    const policy: Policy = model.policy === 'track' ? 'strict' : 'track'
    if (this.#below(3) === 0) {
      await this.#switch('off')
      for (const step of ['order', 'flow', 'pick', 'set', 'hold', 'undo'] as const) await this[step]()
      await this.#compare()
    }
    await this.#switch(policy)
  }
  async #switch(policy: Policy): Promise<void> {
    this.#called = true
    await reserve(this.tenant, policy)
    this.model.setPolicy(policy)
  }

  /** The service has what the model has. */
  async #compare(): Promise<void> {
    const [{ availability }, { reservations }, { orders }] = await Promise.all([
      this.#call('GET', '/stock/availability'),
      this.#call('GET', '/stock/reservations?limit=100'),
      this.#call('GET', '/orders?limit=100'),
    ])
    for (const { id } of this.products)
      for (const warehouse of this.model.warehouses) {
        const expected = this.model.numbers(id, warehouse)
        const numbers = availability.find(
          (row: Record<string, number>) => row.product_id === id && row.warehouse_id === warehouse,
        )
        if (numbers === undefined) expect(Object.values(expected)).toEqual(Array.from({ length: 7 }, () => 0))
        else expect(numbers).toMatchObject(expected)
      }
    expect(reservations).toMatchObject(this.model.reservations())
    expect(orders.map((order: Record<string, unknown>) => [order.id, order.reservation_status])).toEqual(
      this.model.orders.map((order) => [order.id, this.model.statusOf(order)]).toReversed(),
    )
  }
}

async function begin(service: TestService, policy: 'track' | 'strict'): Promise<Run> {
  const tenant = await service.newTenant()
  await reserve(tenant, policy)
  const { body } = await tenant.request('POST', '/warehouses', { name: 'North' })
  const north: number = body.data.id
  await tenant.request('POST', '/locations', { id: 'North', warehouse_id: north })
  const { data } = (await tenant.request('GET', '/warehouses')).body
  const main = data.warehouses.find(({ id }: { id: number }) => id !== north).id
  const products = [await newProduct(tenant), await newProduct(tenant), await newProduct(tenant, WEIGHED)]
  const model = new Model(
    policy,
    products.map(({ id }) => id),
    [main, north],
  )
  for (const location of LOCATIONS)
    model.locations.set(location, { warehouse: location === 'North' ? north : main, isSellable: true })
  const levels = products.flatMap(({ id }, index) =>
    LOCATIONS.map((location) => ({ product: id, location, quantity: 2 + index })),
  )
  for (const { product, location, quantity } of levels)
    await tenant.request('PUT', `/stock/product/${product}`, { location_id: location, quantity })
  model.setLevels(levels)
  // Picks from there are rare, unless it is so from the beginning.
  await tenant.request('PUT', '/locations/C', { sellable: false })
  model.setLocation('C', { isSellable: false })
  return new Run(service, tenant, products, model)
}

it.for(['track', 'strict'] as const)('every response is that of a small model, under %s', async (policy, { service }) => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 50, maxLength: 80 }), async (steps) => {
      const run = await begin(service, policy)
      for (const step of steps) {
        await run.step(step)
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
