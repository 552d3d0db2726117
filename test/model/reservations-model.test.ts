import fc from 'fast-check'
import { expect } from 'vitest'
import { it } from '../support/it.ts'
import { orderFor } from '../support/orders.ts'
import { OPERATOR, type PickableProduct } from '../support/picking.ts'
import { reserve } from '../support/reservations.ts'
import type { TestService, TestTenant } from '../support/service.ts'
import { newProduct } from '../support/stock.ts'
import { Model, type ModelOrder } from './reservations/model.ts'

/** `MODEL_RUNS=500` is the long form. */
const RUNS = Number(process.env.MODEL_RUNS ?? 6)
const LOCATIONS = ['A', 'B', 'C']
const DATES = ['2026-12-01', '2026-12-02', '2026-12-03']

/** Numbers that each step takes its choices from. */
type Step = { kind: (typeof KINDS)[number]; choices: number[] }
const KINDS = [
  'order',
  'order',
  'order',
  'set',
  'set',
  'transfer',
  'sellable',
  'cancel',
  'complete',
  'date',
  'flow',
  'flow',
  'pick',
  'pick',
  'pick',
  'pick',
  'undo',
  'cancelFlow',
  'hold',
  'release',
] as const

const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  choices: fc.array(fc.nat(1_000), { minLength: 10, maxLength: 10 }),
})

class Run {
  readonly tenant: TestTenant
  readonly products: PickableProduct[]
  readonly model: Model
  #choices: number[] = []
  #names = 0
  #called = false

  constructor(tenant: TestTenant, products: PickableProduct[], policy: 'track' | 'strict') {
    this.tenant = tenant
    this.products = products
    this.model = new Model(
      policy,
      products.map(({ id }) => id),
    )
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
  #location(): string {
    return this.#one(LOCATIONS) as string
  }
  #order(isWanted: (order: ModelOrder) => boolean): ModelOrder | undefined {
    return this.#one(this.model.orders.filter((order) => order.isOpen && isWanted(order)))
  }
  async #call(method: string, path: string, body?: unknown, status = 200) {
    this.#called = true
    const response = await this.tenant.request(method, path, body)
    expect([method, path, response.status, response.body.error?.message]).toEqual([
      method,
      path,
      status,
      status === 200 ? undefined : expect.any(String),
    ])
    return response.body.data
  }
  #lines(most: number) {
    return Array.from({ length: 1 + this.#below(2) }, () => ({ product: this.#product(), quantity: 1 + this.#below(most) }))
  }

  async order(): Promise<void> {
    const [mayWait, useHold] = [this.#below(3) > 0, this.#below(3) === 0]
    const date = this.#one(DATES) as string
    const hold = useHold ? this.#one(this.model.holds) : undefined
    const lines = this.#lines(5)
    const order = await orderFor(this.tenant, {
      assembly_date: date,
      allow_backorder: mayWait,
      ...(hold === undefined ? {} : { hold: `cart ${this.model.holds.indexOf(hold)}` }),
      order_detail: lines.map(({ product, quantity }) => ({ barcode: product.barcode, quantity })),
    })
    const wanted = lines.map(({ product, quantity }) => ({ product: product.id, quantity }))
    const isRefused = this.model.policy === 'strict' && !mayWait && !this.model.fits(wanted, hold)
    const data = await this.#call('POST', '/orders', order, isRefused ? 400 : 200)
    if (isRefused) return
    const [{ id, reservation_status: status }] = data.orders
    const { order_detail: detail } = await this.#call('GET', `/orders/${id}`)
    this.model.addOrder(
      {
        id,
        date,
        lines: wanted.map((line, index) => ({ ...line, id: detail[index].id, picked: 0, reserved: 0, backordered: 0 })),
      },
      hold,
    )
    const isBackordered = this.model.orders.at(-1)?.lines.some(({ backordered }) => backordered > 0) === true
    expect(status).toBe(isBackordered ? 'backordered' : 'reserved')
  }

  async set(): Promise<void> {
    const [product, location, quantity] = [this.#product(), this.#location(), this.#below(12)]
    await this.#call('PUT', `/stock/product/${product.id}`, { location_id: location, quantity })
    this.model.setLevel(product.id, location, quantity)
  }

  async transfer(): Promise<void> {
    const [{ id }, from, to, quantity] = [this.#product(), this.#location(), this.#location(), 1 + this.#below(4)]
    const isRefused = from === to || this.model.level(id, from) < quantity
    const body = { product_id: id, from_location_id: from, to_location_id: to, quantity }
    await this.#call('POST', '/stock/transfer', body, isRefused ? 400 : 200)
    if (isRefused) return
    const left = this.model.level(id, from) - quantity
    this.model.stock.get(id)?.set(from, left)
    this.model.setLevel(id, to, this.model.level(id, to) + quantity)
  }

  async sellable(): Promise<void> {
    const [location, isSellable] = [this.#location(), this.#below(2) === 0]
    await this.#call('PUT', `/locations/${location}`, { sellable: isSellable })
    this.model.setSellable(location, isSellable)
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
    if (order === undefined) return
    const { id } = await this.#call('POST', '/flows', { order_id: order.id, ...OPERATOR })
    order.flow = { id, picks: [] }
  }

  async pick(): Promise<void> {
    const order = this.#order(({ flow }) => flow !== undefined)
    const ordered = this.#one(order?.lines ?? [])?.product
    const [any, location, quantity] = [this.#product().id, this.#location(), 1 + this.#below(3)]
    if (order?.flow === undefined) return
    // Seldom one that is not in the order.
    const product = ordered === undefined || this.#below(10) === 0 ? any : ordered
    const isRefused =
      !order.lines.some((line) => line.product === product) ||
      this.model.open(order, product) < quantity ||
      this.model.level(product, location) < quantity
    const pickId = `pick ${++this.#names}`
    const body = { product_id: product, location_id: location, quantity, pick_id: pickId }
    await this.#call('POST', `/flows/${order.flow.id}/picks`, body, isRefused ? 400 : 200)
    if (!isRefused) this.model.pick(order, pickId, product, location, quantity)
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

  async hold(): Promise<void> {
    const lines = this.#lines(4)
    const wanted = lines.map(({ product, quantity }) => ({ product: product.id, quantity }))
    const isRefused = !this.model.fits(wanted)
    const body = {
      reference: `cart ${this.model.holds.length}`,
      lines: lines.map(({ product: { sku }, quantity }) => ({ sku, quantity })),
    }
    const data = await this.#call('POST', '/holds', body, isRefused ? 400 : 200)
    if (!isRefused) this.model.addHold(data.id, wanted)
  }

  async release(): Promise<void> {
    const hold = this.#one(this.model.holds.filter(({ isActive }) => isActive))
    if (hold === undefined) return
    await this.#call('DELETE', `/holds/${hold.id}`)
    this.model.release(hold)
  }

  /** The service has what the model has. */
  async #compare(): Promise<void> {
    const { availability } = await this.#call('GET', '/stock/availability')
    const { reservations } = await this.#call('GET', '/stock/reservations?limit=100')
    for (const { id } of this.products) {
      const expected = this.model.numbers(id)
      const numbers = availability.find((row: { product_id: number }) => row.product_id === id)
      if (numbers === undefined) expect(Object.values(expected)).toEqual(Array.from({ length: 7 }, () => 0))
      else expect(numbers).toMatchObject(expected)
      const ofOrders = reservations
        .filter((row: Record<string, number | null>) => row.product_id === id && row.order_id !== null)
        .map((row: Record<string, number>) => [
          row.order_id,
          row.order_detail_id,
          row.reserved_quantity,
          row.backordered_quantity,
        ])
      expect(ofOrders).toEqual(this.model.reservations(id))
    }
  }
}

async function begin(service: TestService, policy: 'track' | 'strict'): Promise<Run> {
  const tenant = await service.newTenant()
  await reserve(tenant, policy)
  const run = new Run(tenant, [await newProduct(tenant), await newProduct(tenant)], policy)
  for (const [index, { id }] of run.products.entries())
    for (const location of LOCATIONS) {
      await tenant.request('PUT', `/stock/product/${id}`, { location_id: location, quantity: 3 + index })
      run.model.setLevel(id, location, 3 + index)
    }
  // Picks from there are rare, unless it is so from the beginning.
  await tenant.request('PUT', '/locations/C', { sellable: false })
  run.model.setSellable('C', false)
  return run
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
