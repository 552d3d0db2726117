import { APIError, FulfillmentError, type NewPackage, type Package, type Shipment } from '@fulfillment/sdk'
import { isUnanswered } from '../../shared/is-unanswered.ts'
import { ORDER_STATE } from '../../shared/order-state.ts'
import { randomId } from '../../shared/random-id.ts'
import { packing } from '../../shared/texts/scan-packing-texts.ts'
import type { App, CodeHandler } from '../app/app.ts'
import { online } from '../app/calls.ts'
import { refusalText } from '../app/refusal-text.ts'
import { findBySku, findCode, productOf } from '../data/find.ts'
import { asSent, type Content, comparableText, contentsOf, withMore, withQuantity, withWeight } from './packages.ts'
import type { Doubt } from './doubt.ts'
import { type OrderToPack, type ProductToPack, productsOf, readOrderToPack } from './order-to-pack.ts'
import { type OrderSteps, stepsOf } from './order-steps.ts'
import { refusalOf } from './refusal.ts'

const NO_PACKAGES: readonly Package[] = []
/** So long a step relies on what was read. */
const FRESH_MS = 1_000

/** Something of a product that goes into a package. */
interface Goods {
  product_id: number
  name: string
  quantity: number
}

/**
 * Packs an order. Every step is sent at once and counts when the server has done it; steps follow each other in the order of the scans. A
 * step whose response was lost is taken back before the next one, as the operator was told that it was not sent.
 */
export class Packer {
  /** Undefined before it was read. */
  known: OrderToPack | undefined
  error: string | undefined
  version = 0
  readonly #app: App
  readonly #orderId: number
  #number = 1
  readonly #listeners = new Set<() => void>()
  /** Null: a new one. Undefined: the newest open one. */
  #shipmentId: number | null | undefined
  /** The next creation of a shipment. As long as no shipment is known to be of it, it has the same key when it is repeated. */
  #creation = newCreation()
  /** Packages before each step, to be undone. */
  #history: NewPackage[][] = []
  /** When the server said last what is in the shipment. */
  #readAt = -Infinity
  /** A scan called for another order: nothing more is packed here. */
  #isLeft = false
  readonly #steps: OrderSteps

  constructor(app: App, orderId: number) {
    this.#app = app
    this.#orderId = orderId
    this.#steps = stepsOf(app, orderId)
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The open shipment that is packed; undefined before its first scan. */
  get shipment(): Shipment | undefined {
    return this.known?.shipments.find(({ id, state }) => id === this.#shipmentId && state === 'open')
  }

  /** The shipment that was packed here and has left, until the operator was stopped with that. */
  get over(): Shipment | undefined {
    return this.known?.shipments.find(({ id, state }) => id === this.#shipmentId && state !== 'open')
  }

  get packages(): readonly Package[] {
    return this.shipment?.packages ?? NO_PACKAGES
  }

  /** The package that the operator packs, from 1; one more than the shipment has is empty. */
  get number(): number {
    return Math.min(this.#number, this.packages.length + 1)
  }

  get products(): ProductToPack[] {
    return this.known === undefined ? [] : productsOf(this.known)
  }

  get name(): string {
    return this.known?.order.order_tenant_id ?? ''
  }

  get isCancelled(): boolean {
    return this.known?.order.state_id === ORDER_STATE.cancelled
  }

  /** Reads the order again. Without a connection, what was read before stays. */
  refresh = (): Promise<void> =>
    this.#steps.turns.take(async () => {
      try {
        await this.#read()
      } catch (error) {
        if (!(error instanceof FulfillmentError)) throw error
        this.error = error instanceof APIError ? refusalText(error) : undefined
        this.#changed()
      }
    })

  /** Packs what was scanned; another order is opened. */
  scan: CodeHandler = (texts, at, codes, begun) =>
    this.#step(at, async () => {
      const { client } = this.#app.api
      // In parallel, so that a scan takes no longer on a slow network. Neither goes on after the step: what it reads would then take the place
      // of what the next step has packed.
      const both = [findCode(client, texts, codes), this.#readShipment()] as const
      await Promise.allSettled(both)
      const [code] = await Promise.all(both)
      if (code?.order && code.product === null) {
        this.#isLeft = code.order.id !== this.#orderId
        if (this.#app.goOn(begun, { name: 'pack', record: code.order.id }))
          this.#app.tell('taken', code.order.order_tenant_id, at, texts[0])
        return true
      }
      const product = (code && productOf(code)) ?? (await findBySku(client, texts))
      if (product === undefined || product.quantity <= 0) return false
      await this.#pack([{ product_id: product.id, name: product.name, quantity: product.quantity }], at, texts[0])
      return true
    })

  /** Packs one of a product, or what is left of it if that is less. */
  packOne = ({ product_id, name, left }: ProductToPack): Promise<boolean> => {
    const at = performance.now()
    const quantity = left > 0 && left < 1 ? left : 1
    return this.#tapped(at, () => this.#pack([{ product_id, name, quantity }], at))
  }

  /** Packs all that is left. */
  packAll = (): Promise<boolean> => {
    const at = performance.now()
    return this.#tapped(at, () => {
      const left = this.products.filter((product) => product.left > 0)
      return this.#pack(
        left.map(({ product_id, name, left: quantity }) => ({ product_id, name, quantity })),
        at,
      )
    })
  }

  /** Sets how much of a product is in the package. */
  setQuantity = (product: Content & { name: string }, quantity: number): Promise<boolean> => {
    const at = performance.now()
    const { number } = this
    return this.#tapped(at, async () => {
      const { product_id, name } = product
      const isSent = await this.#send(withQuantity(this.packages, number, { product_id, quantity }), {
        at,
        goods: { product_id, name, quantity: quantity - product.quantity },
        again: () => void this.setQuantity(product, quantity),
      })
      if (isSent) this.#app.tell('taken', packing.said.packed(name, quantity, number), at)
      return true
    })
  }

  /** Sets the weight of the package. */
  setWeight = (weight: number): Promise<boolean> => {
    const at = performance.now()
    const { number } = this
    return this.#tapped(at, async () => {
      const again = (): void => void this.setWeight(weight)
      if (await this.#send(withWeight(this.packages, number, weight), { at, again }))
        this.#app.tell('taken', packing.said.weighed(number, weight), at)
      return true
    })
  }

  /** What follows goes into another package, by default a new one. */
  open = (number?: number): Promise<void> =>
    this.#choose(() => {
      this.#number = number ?? this.packages.length + 1
      this.#changed()
      this.#app.tell('taken', packing.package(this.#number), performance.now())
    })

  /** Goes on with an open shipment; null: a new one, which the first scan makes. */
  goOnWith = (id: number | null): Promise<void> =>
    this.#choose(() => {
      this.#setShipment(id)
      this.#changed()
    })

  /** Takes back the latest step. */
  undo = (): Promise<boolean> => {
    const at = performance.now()
    return this.#tapped(at, async () => {
      const before = this.#history.at(-1)
      if (before === undefined) this.#app.stop({ message: packing.problem.nothingToUndo }, at)
      else if (await this.#send(before, { at, again: () => void this.undo(), isUndo: true }))
        this.#app.tell('taken', packing.said.undone, at)
      return true
    })
  }

  /** This shipment leaves, and no other one, whichever is packed by now. */
  ship = (meant: Shipment): Promise<boolean> => {
    const at = performance.now()
    const begun = this.#app.begin()
    const shipping = this.#app.tapped(() =>
      this.#step(at, async () => {
        const step = { at, again: () => void this.ship(meant) }
        const isShipped = this.#hasLeft(meant)
          ? undefined
          : await this.#refusable(() => this.#app.api.client.shipments.ship(meant.id))
        if (isShipped === undefined) return await this.#refuse(step, meant)
        this.#app.goOn(begun, { name: 'pack' })
        this.#app.tell('order', packing.said.shipped(this.name), at)
        return true
      }),
    )
    this.#app.lead(shipping)
    return shipping
  }

  async #pack(goods: readonly Goods[], at: number, scanned?: string): Promise<boolean> {
    const [first] = goods
    if (first === undefined) return true
    const again = (): void => void this.#change(performance.now(), () => this.#pack(goods, performance.now()))
    const step = { at, scanned, goods: first, again, isForAny: true }
    // A shipment is not made for goods that do not fit.
    if (!this.#hasRoom(goods)) await this.#read()
    if (this.over !== undefined || !this.#hasRoom(goods)) return await this.#refuse(step, this.over ?? this.shipment)
    if (this.shipment === undefined && !(await this.#create())) return await this.#refuse(step, undefined)
    const contents = goods.map(({ product_id, quantity }) => ({ product_id, quantity }))
    if (await this.#send(withMore(this.packages, this.number, contents), step)) this.#tellPacked(first, step)
    return true
  }

  #hasRoom(goods: readonly Goods[]): boolean {
    const { products } = this
    return goods.every(({ product_id, quantity }) =>
      products.some((product) => product.product_id === product_id && product.left >= quantity),
    )
  }

  #tellPacked({ product_id, name }: Goods, { at, scanned }: Step): void {
    const { products, number } = this
    if (products.every(({ left }) => left === 0)) return this.#app.tell('order', packing.said.allPacked(this.name), at, scanned)
    const content = this.packages[number - 1]
    const { quantity = 0 } = (content && contentsOf(content).find((one) => one.product_id === product_id)) ?? {}
    const isDone = products.some((product) => product.product_id === product_id && product.left === 0)
    this.#app.tell(isDone ? 'line' : 'taken', packing.said.packed(name, quantity, number), at, scanned)
  }

  /** Makes the shipment. Returns false if the server refuses it. */
  async #create(): Promise<boolean> {
    const { client } = this.#app.api
    const creation = this.#creation
    const isRepeated = creation.isSent
    creation.isSent = true
    const created = await this.#refusable(() =>
      client.shipments.create({ order_id: this.#orderId }, { idempotencyKey: creation.key }),
    )
    if (created === undefined) return false
    // The response to a repeated creation tells how the shipment was at first. Others may have packed it since.
    this.#keep(isRepeated ? await client.shipments.get(created.id) : created)
    this.#setShipment(created.id)
    return true
  }

  /** Replaces the packages. Returns whether it is done; a refusal is told. */
  async #send(packages: NewPackage[], step: Step & { isUndo?: boolean }): Promise<boolean> {
    const { shipment, over } = this
    if (over !== undefined) await this.#refuse(step, over)
    if (shipment === undefined) return false
    const before = shipment.packages.map(asSent)
    await this.#steps.begin({ shipment, packages })
    const changed = await this.#update(shipment.id, packages)
    if (changed === undefined) {
      await this.#refuse(step, shipment)
      return false
    }
    if (step.isUndo === true) this.#history.pop()
    else this.#history.push(before)
    this.#keep(changed)
    return true
  }

  async #update(id: number, packages: NewPackage[]): Promise<Shipment | undefined> {
    try {
      const changed = await this.#refusable(() => this.#app.api.client.shipments.update(id, { packages }))
      // Before the operator hears of it: what was told is not taken back after a reload.
      await this.#steps.end()
      return changed
    } catch (error) {
      if (error instanceof APIError && !isUnanswered(error)) await this.#steps.end()
      throw error
    }
  }

  /** Takes back a step, unless somebody else has changed the packages since: what they have packed stays. */
  async #takeBack({ shipment, packages }: Doubt): Promise<void> {
    const { client } = this.#app.api
    const now = await client.shipments.get(shipment.id)
    const { order_detail: lines } = this.known?.order ?? (await client.orders.get(this.#orderId))
    const productOf = new Map(lines.map(({ id, product_id }) => [id, product_id]))
    const before = shipment.packages.map(asSent)
    const [content, ...own] = [now.packages.map(asSent), packages, before].map((one) => comparableText(one, productOf))
    if (own.includes(content ?? '')) await this.#update(shipment.id, before)
    await this.#steps.end()
  }

  /** Undefined if the server refuses what can't be packed. */
  async #refusable<T>(call: () => PromiseLike<T>): Promise<T | undefined> {
    try {
      return await call()
    } catch (error) {
      if (error instanceof APIError && error.code === 'shipment_error') return undefined
      throw error
    }
  }

  /** Stops the operator with what the order says now, not with the server's message. */
  async #refuse({ at, scanned, goods, again, isForAny }: Step, shipment: Shipment | undefined): Promise<true> {
    await this.#read()
    const known = this.known as OrderToPack
    if (this.over !== undefined) this.#goOnWithNewest()
    const { message, left } = refusalOf(known, { shipmentId: shipment?.id, next: this.shipment, goods })
    const packLeft = (): void => {
      if (goods !== undefined && left !== undefined)
        void this.#change(performance.now(), () => this.#pack([{ ...goods, quantity: left }], performance.now()))
    }
    const isPossible = isForAny === true || shipment === undefined || !this.#hasLeft(shipment)
    const ways = [
      ...(left === undefined ? [] : [{ name: packing.problem.packLeft(left), run: packLeft }]),
      ...(isPossible ? [{ name: packing.problem.tryAgain, run: again }] : []),
    ]
    this.#app.stop({ message, scanned, ways }, at)
    return true
  }

  async #read(): Promise<void> {
    const { shipment } = this
    const { doubt } = this.#steps
    if (doubt !== undefined) await this.#takeBack(doubt)
    this.known = await readOrderToPack(this.#app.api.client, this.#orderId)
    this.#readAt = performance.now()
    this.error = undefined
    // Somebody else has packed meanwhile.
    if (this.shipment?.updated_at !== shipment?.updated_at) this.#history = []
    // From one that is over, the next step leads to another one: the operator hears of it.
    if (this.#shipmentId !== null && this.shipment === undefined && this.over === undefined) this.#goOnWithNewest()
    this.#changed()
  }

  #hasLeft({ id }: Shipment): boolean {
    return this.known?.shipments.some((one) => one.id === id && one.state !== 'open') === true
  }

  #goOnWithNewest(): void {
    this.#setShipment(this.known?.shipments.find(({ state }) => state === 'open')?.id)
  }

  /** Reads the shipment again: a step replaces all of its packages, and must not undo what others have changed in them. */
  async #readShipment(): Promise<void> {
    const { shipment } = this
    if (shipment === undefined || performance.now() - this.#readAt < FRESH_MS) return
    const now = await this.#app.api.client.shipments.get(shipment.id)
    // Of one that is over, the server refuses the step, and the operator hears why.
    if (now.state !== 'open') return
    if (now.updated_at !== shipment.updated_at) this.#history = []
    this.#keep(now)
  }

  #setShipment(id: number | null | undefined): void {
    if (this.#shipmentId === id) return
    // It may be the one whose creation had no response: repeated, that would not make another one.
    if (typeof id === 'number') this.#creation = newCreation()
    this.#shipmentId = id
    this.#history = []
    this.#number = Math.max(1, this.packages.length)
  }

  #keep(shipment: Shipment): void {
    const { known } = this
    this.#readAt = performance.now()
    if (known === undefined) return
    const others = known.shipments.filter(({ id }) => id !== shipment.id)
    this.known = { ...known, shipments: [shipment, ...others].toSorted((one, other) => other.id - one.id) }
    this.#changed()
  }

  /** Makes a choice of the operator for what follows. Steps that were begun before are for what was chosen before. */
  #choose(choice: () => void): Promise<void> {
    return this.#app.tapped(() =>
      this.#steps.turns.take(() => {
        // One of them may offer a way on, which is not for this choice.
        if (this.#app.ui.problem === undefined) choice()
      }),
    )
  }

  /** A change that the operator has tapped. */
  #tapped(at: number, change: () => Promise<boolean>): Promise<boolean> {
    return this.#app.tapped(() => this.#change(at, change))
  }

  /** A step that changes the packages as they are now. */
  #change(at: number, change: () => Promise<boolean>): Promise<boolean> {
    return this.#step(at, async () => {
      await this.#readShipment()
      return await change()
    })
  }

  /** A step of the operator, after those before. It needs the connection. */
  #step(at: number, step: () => Promise<boolean>): Promise<boolean> {
    return this.#steps.turns.take(async () => {
      const { problem } = this.#app.ui
      // Nothing goes on before the operator has seen what became of the step before.
      if (problem !== undefined) {
        this.#app.stop(problem, at)
        return true
      }
      if (this.#isLeft) {
        this.#app.stop({ message: packing.problem.left(this.name) }, at)
        return true
      }
      const isDone = await online(this.#app, async () => {
        if (this.known === undefined || this.#steps.doubt !== undefined) await this.#read()
        return await step()
      })
      // Undefined: the operator was stopped.
      return isDone ?? true
    })
  }

  #changed(): void {
    this.version++
    for (const listener of this.#listeners) listener()
  }
}

const newCreation = () => ({ key: `pack-${randomId()}`, isSent: false })

/** What a refusal needs to know of a step. */
interface Step {
  at: number
  scanned?: string | undefined
  /** What was to be packed. */
  goods?: Goods | undefined
  again: () => void
  /** Goods can go in another shipment when this one has left. Other steps were meant for this one alone. */
  isForAny?: boolean
}
