import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Dice } from './dice.ts'
import { command, type Heard, isSameStop, look, open, press, scan, scanAt, type Seen } from './hands.ts'
import type { Ledger } from './ledger.ts'

/** An order on the operator's list. */
export interface OrderToPick {
  id: number
  order_tenant_id: string
  number: number
  /** Others change it meanwhile: what the operator takes back in it is not traced. */
  isDisturbed: boolean
}

interface OperatorOptions {
  page: Page
  dice: Dice
  ledger: Ledger
  /** Before each step in an order: trouble has its turn. */
  beforeStep: () => Promise<void>
}

const MAX_STEPS = 500
/** The same code within 300 ms is one scan. */
const SAME_CODE_MS = 320

/** A scripted operator: reads the screen, does one of the things that one can do there, and writes down what sounded ok. */
export class Operator {
  /** Milliseconds to each verdict. */
  readonly verdicts: number[] = []
  /** How often each thing was done. */
  readonly done = new Map<string, number>()
  readonly #options: OperatorOptions
  #scanned = ''
  #scannedAt = 0

  constructor(options: OperatorOptions) {
    this.#options = options
  }

  /** Picks an order from its start until the queue is on the screen again. */
  async pick(order: OrderToPick): Promise<void> {
    await this.#start(order)
    for (let step = 0; step < MAX_STEPS; step++) {
      await this.#options.beforeStep()
      const seen = await look(this.#options.page)
      if (seen.problem !== undefined) await this.#acknowledge()
      else if (seen.screen === 'queue') return
      else if (seen.screen === 'pick') await this.#step(order, seen)
      else if (seen.screen === 'finish') await this.#finish(order, seen)
      else throw new Error(`The operator is lost at ${seen.heading}`)
    }
    throw new Error(`${order.order_tenant_id} has no end`)
  }

  #count(what: string): void {
    this.done.set(what, (this.done.get(what) ?? 0) + 1)
  }

  async #hear(what: string, act: () => Promise<Heard>): Promise<Heard> {
    const heard = await act()
    this.#count(heard.outcome === 'problem' ? 'problems on the screen' : what)
    if (heard.outcome !== 'none') this.verdicts.push(heard.ms)
    return heard
  }

  async #scan(what: string, text: string, stop?: Seen): Promise<Heard> {
    const { page } = this.#options
    return await this.#hear(what, () => this.#aim(text, () => (stop === undefined ? scan(page, text) : scanAt(page, stop, text))))
  }

  /** Scans a command that opens or closes something. */
  async #command(text: string): Promise<void> {
    await this.#aim(text, () => command(this.#options.page, text))
  }

  async #aim<T>(text: string, act: () => Promise<T>): Promise<T> {
    const waitMs = text === this.#scanned ? this.#scannedAt + SAME_CODE_MS - performance.now() : 0
    if (waitMs > 0) await this.#options.page.waitForTimeout(waitMs)
    const result = await act()
    this.#scanned = text
    this.#scannedAt = performance.now()
    return result
  }

  async #start({ order_tenant_id }: OrderToPick): Promise<void> {
    const { page } = this.#options
    for (let attempt = 0; attempt < MAX_STEPS; attempt++) {
      await expect.poll(async () => (await look(page)).screen).toBe('queue')
      const { outcome } = await this.#scan('orders started', order_tenant_id)
      if (outcome === 'taken') {
        await expect.poll(async () => (await look(page)).screen).toBe('pick')
        return
      }
      // The response was lost: the flow is on its way to this device.
      await this.#acknowledge()
      await page.waitForTimeout(SAME_CODE_MS)
    }
    throw new Error(`${order_tenant_id} does not start`)
  }

  async #acknowledge(): Promise<void> {
    const { page } = this.#options
    await this.#command('FC-OK')
    await expect.poll(async () => (await look(page)).problem, { interval: 5 }).toBe(undefined)
  }

  async #step(order: OrderToPick, seen: Seen): Promise<void> {
    const { dice } = this.#options
    const hasStock = seen.heading !== 'No stock'
    if (hasStock && seen.expected !== 'the product' && dice.falls(0.97)) return void (await this.#scan('locations', seen.heading))
    const how = dice.weighted({
      piece: hasStock && seen.take > 0 ? 8 : 0,
      all: hasStock && seen.take > 0 ? 6 : 0,
      quantity: hasStock && seen.take > 0 ? 3 : 0,
      confirm: seen.taken > 0 ? 1.5 : 0,
      short: hasStock ? 0.7 : 8,
      skip: 0.4,
      undo: order.isDisturbed ? 0 : 0.8,
      finish: 0.15,
      unknown: 0.4,
    })
    await this.#do(how, order, seen)
  }

  async #do(how: string, order: OrderToPick, seen: Seen): Promise<void> {
    if (how === 'piece') return this.#take(order, seen, 1, await this.#scan('pieces', seen.barcode))
    if (how === 'all') return this.#take(order, seen, seen.take, await this.#scan('take all', 'FC-ALL', seen))
    if (how === 'quantity') return await this.#enter(order, seen)
    if (how === 'undo') return await this.#undo(seen)
    if (how === 'short') return await this.#short()
    if (how === 'finish') return await this.#command('FC-FINISH')
    if (how === 'unknown') return void (await this.#scan('unknown codes', 'no such code'))
    await this.#scan(how, `FC-${how.toUpperCase()}`)
  }

  /** What sounded ok is in the operator's hands. */
  #take({ order_tenant_id }: OrderToPick, seen: Seen, quantity: number, { outcome }: Heard): void {
    if (outcome === 'problem' || outcome === 'none') return
    const { flow, product, heading } = seen
    this.#options.ledger.take({ order: order_tenant_id, flow, product, location: heading, quantity })
  }

  async #enter(order: OrderToPick, seen: Seen): Promise<void> {
    const { page, dice } = this.#options
    const quantity = dice.between(seen.taken + 1, seen.taken + seen.take)
    await open(page, 'Quantity')
    if (!isSameStop(await look(page), seen)) return await open(page, 'Cancel')
    for (const digit of String(quantity)) await open(page, digit)
    const heard = await this.#hear('quantities', () => press(page, 'Confirm'))
    this.#take(order, seen, quantity - seen.taken, heard)
  }

  async #short(): Promise<void> {
    const { page, dice } = this.#options
    await this.#command('FC-SHORT')
    await this.#hear('shorts', () => press(page, dice.one(['Not found', 'Damaged', 'Too few'])))
  }

  async #undo({ flow }: Seen): Promise<void> {
    const { outcome, said } = await this.#scan('undos', 'FC-UNDO')
    const [, quantity, product] = /^Undone: ([\d.]+) × (.+)$/.exec(said) ?? []
    if (outcome !== 'problem' && product !== undefined) this.#options.ledger.undo(flow, product, Number(quantity))
  }

  async #finish(order: OrderToPick, seen: Seen): Promise<void> {
    const { page, dice, ledger } = this.#options
    const end = dice.weighted({
      complete: 20,
      undo: order.isDisturbed ? 0 : 2,
      cancel: seen.connection.startsWith('Offline') ? 0 : 1,
    })
    if (end === 'undo') return await this.#undo(seen)
    if (end === 'cancel') {
      await open(page, 'Put everything back')
      const { outcome } = await this.#hear('put back', () => press(page, 'Put everything back'))
      if (outcome === 'taken') ledger.drop(seen.flow)
    } else await this.#scan('completed', 'FC-FINISH')
    await expect
      .poll(async () => (await look(page)).screen !== 'finish' || (await look(page)).problem, { interval: 5 })
      .toBeTruthy()
  }
}
