import type { FlowBatch, PickingFlowDetails, QueuedOrder } from '@fulfillment/sdk'
import { ORDER_STATES } from '../../domain/order-states/index.ts'
import { Random } from '../random.ts'
import { exact } from './exact.ts'
import type { LiveOptions } from './customers.ts'
import { type Fate, fateOf } from './fate.ts'
import { packOrder } from './pack-order.ts'
import type { Person } from './person.ts'
import { isRefusal, unlessRefused } from './refusal.ts'
import { rowsOf } from './rows-of.ts'
import { startWalk, walkBatch } from './walk.ts'

const QUEUE_LIMIT = 50
/** In a kilogram. */
const GRAMS = 1_000
/** An order that could not be finished is left alone while so many others come. */
const REST_ORDERS = 8
/** How often an operator takes several orders in one walk. */
const WALK_SHARE = 0.15

type Line = PickingFlowDetails['lines'][number]

/** What operators know of each other's work. */
export interface SharedWork {
  /** Orders whose fate has come: the next flow of them goes well. */
  met: Set<string>
  /** Orders that could not be finished, and until when they rest. */
  resting: Map<string, number>
}

/** An operator, who picks one order after the other over the API, or a few in one walk, and packs them. */
export class LiveOperator {
  readonly #options: LiveOptions
  readonly #person: Person
  readonly #random: Random
  readonly #shared: SharedWork

  constructor(options: LiveOptions, person: Person, shared: SharedWork) {
    this.#options = options
    this.#person = person
    this.#shared = shared
    this.#random = new Random(`${options.seed} operator ${person.email}`)
  }

  /** Works until the demo is over. */
  async work(): Promise<void> {
    const { pace } = this.#options
    while (!pace.isOver) {
      const isDone = await unlessRefused(this.#options.journal, this.#person.name, () => this.#step())
      // What was refused could be refused again at once.
      if (isDone !== true) await pace.wait(pace.orderMs, this.#random)
    }
  }

  /** Goes on with what was begun, or begins something. False if there is nothing to do. */
  async #step(): Promise<boolean> {
    const batch = await this.#nextBatch()
    const flow = batch === undefined ? await this.#next() : undefined
    if (batch !== undefined) await this.#walk(batch)
    else if (flow !== undefined) await this.#pick(flow)
    return batch !== undefined || flow !== undefined
  }

  /** The batch to go on with, or now and then a new one. */
  async #nextBatch(): Promise<FlowBatch | undefined> {
    const { client } = this.#options
    const running = await this.#running()
    if (running !== undefined) return running.batch_id === undefined ? undefined : await client.flowBatches.get(running.batch_id)
    return this.#random.chance(WALK_SHARE) ? await startWalk(this.#options, this.#person) : undefined
  }

  async #running() {
    const { flows } = await this.#options.client.flows.list({ state: 'started', operator_email: this.#person.email, limit: 1 })
    return flows[0]
  }

  /** Walks for a batch, and packs what it took. Nothing that happens to single orders happens there. */
  async #walk(batch: FlowBatch): Promise<void> {
    for (const { order_tenant_id: name } of batch.slots) this.#shared.met.add(name)
    const walked = await walkBatch(this.#options, this.#person, this.#random, batch)
    for (const { state, order_id, order_tenant_id: name } of walked?.slots ?? []) {
      if (state !== 'completed') continue
      const { state_id: orderState } = await this.#options.client.orders.get(order_id)
      await this.#completed({ id: order_id, name }, orderState)
    }
  }

  /** The flow to go on with, or a new one of the first order that can be picked. */
  async #next(): Promise<PickingFlowDetails | undefined> {
    const { client, journal } = this.#options
    const { email: operator_email, id: operator_id, name } = this.#person
    const running = await this.#running()
    if (running !== undefined) return await client.flows.get(running.id)
    for await (const { order_id, order_tenant_id } of this.#queue()) {
      if ((this.#shared.resting.get(order_tenant_id) ?? 0) > performance.now()) continue
      try {
        const { id } = await client.flows.start({ order_id, operator_email, operator_id })
        journal.became(order_tenant_id, ORDER_STATES.picking)
        journal.tell(`${name} starts ${order_tenant_id}`)
        const flow = await client.flows.get(id)
        if (flow.lines.some(canBePicked)) return flow
        await client.flows.cancel(id, { reason: 'nothing of it is on the shelf' })
        journal.tell(`${name} finds nothing of ${order_tenant_id}`)
        this.#rest(order_tenant_id)
      } catch (error) {
        // The other operator was faster, or the customer has cancelled.
        if (!isRefusal(error)) throw error
      }
    }
    return undefined
  }

  /** All of it: the first orders can be the ones that rest. */
  #queue(): AsyncIterable<QueuedOrder> {
    return rowsOf(async (page) => {
      const { orders: rows, pagination } = await this.#options.client.flows.queue({ page, limit: QUEUE_LIMIT })
      return { rows, pagination }
    })
  }

  async #pick(flow: PickingFlowDetails): Promise<void> {
    const { seed, client } = this.#options
    const name = flow.order_tenant_id
    const fate = this.#shared.met.has(name) ? 'whole' : fateOf(seed, name)
    if (fate !== 'cancelled') this.#shared.met.add(name)
    await this.#pickLines(flow, fate)
    // What was begun stays as it is.
    if (this.#options.pace.isOver) return
    if (fate === 'put back') return await this.#putBack(flow)
    const { state } = await client.flows.complete(flow.id)
    const order = await client.orders.get(flow.order_id)
    if (state === 'completed') await this.#completed({ id: flow.order_id, name }, order.state_id)
  }

  /** Picks the open lines in the order of the way: all of them, or what the fate leaves. */
  async #pickLines(flow: PickingFlowDetails, fate: Fate): Promise<void> {
    const { journal, pace } = this.#options
    const open = flow.lines.filter(canBePicked)
    const lines = fate === 'put back' ? open.slice(0, Math.ceil(open.length / 2)) : open
    for (const [index, line] of lines.entries()) {
      await pace.wait(pace.pickMs, this.#random)
      if (pace.isOver) return
      const isShort = fate === 'short' && index === lines.length - 1
      if (isShort) journal.tell(`${this.#person.name} finds too few of ${line.product_name}`)
      await this.#pickLine(flow, line, isShort ? line.remaining - 1 : this.#weighed(line))
    }
  }

  async #pickLine(flow: PickingFlowDetails, line: Line, wanted: number): Promise<void> {
    const { client, journal } = this.#options
    let left = wanted
    for (const { location_id, quantity: there } of line.locations) {
      const quantity = Math.min(left, isWeighed(line) ? there : Math.floor(there))
      if (quantity <= 0) continue
      await client.flows.pick(flow.id, { order_detail_id: line.order_detail_id, location_id, quantity })
      left = exact(left - quantity)
      journal.picks++
      journal.took(flow.order_tenant_id, quantity)
      journal.tell(`${this.#person.name} takes ${quantity} × ${line.product_name} from ${location_id}`)
    }
  }

  /** What is taken of an open line: of goods sold by weight, something within the tolerance. */
  #weighed({ remaining, picked_quantity: picked, minimum_quantity: least, maximum_quantity: most }: Line): number {
    if (least === undefined || most === undefined) return remaining
    return this.#random.integer(Math.round((least - picked) * GRAMS), Math.round((most - picked) * GRAMS)) / GRAMS
  }

  async #putBack(flow: PickingFlowDetails): Promise<void> {
    const { client, journal } = this.#options
    const { total_quantity_picked: putBack } = await client.flows.cancel(flow.id, { reason: 'the box broke' })
    this.#rest(flow.order_tenant_id)
    journal.took(flow.order_tenant_id, -putBack)
    journal.tell(`${this.#person.name} puts everything of ${flow.order_tenant_id} back: the box broke`)
  }

  /** The order is released again. */
  #rest(name: string): void {
    const { journal, pace } = this.#options
    journal.became(name, ORDER_STATES.released)
    this.#shared.resting.set(name, performance.now() + REST_ORDERS * pace.orderMs)
  }

  async #completed({ id, name }: { id: number; name: string }, state: number): Promise<void> {
    const { journal } = this.#options
    const isCompleted = state === ORDER_STATES.completed
    if (isCompleted) {
      journal.became(name, state)
      journal.completed++
    } else this.#rest(name)
    journal.tell(`${this.#person.name} ${isCompleted ? 'completes' : 'leaves the rest of'} ${name}`)
    try {
      await packOrder(this.#options, this.#person.name, id)
    } catch (error) {
      // The customer has cancelled the rest.
      if (!isRefusal(error)) throw error
    }
  }
}

const isWeighed = ({ minimum_quantity: least }: Line): boolean => least !== undefined

const canBePicked = ({ remaining, locations }: Line): boolean => remaining > 0 && locations.some(({ quantity }) => quantity >= 1)
