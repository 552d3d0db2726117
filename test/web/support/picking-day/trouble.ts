import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { FaultyProxy } from '../faulty-proxy.ts'
import type { Dice } from './dice.ts'
import { look } from './hands.ts'

export type TroubleKind = 'cut' | 'reload' | 'restart'

interface TroubleOptions {
  page: Page
  context: BrowserContext
  proxy: FaultyProxy
  dice: Dice
  /** Kills the server, and starts it again. */
  restart: () => Promise<void>
}

const LOST_SHARE = 0.12

/** What goes wrong with the device, the network and the server while an operator picks. */
export class Trouble {
  readonly done = { cuts: 0, 'lost responses': 0, 'lost requests': 0, reloads: 0, restarts: 0 }
  readonly #options: TroubleOptions
  #isCut = false
  #restarted: Promise<void> = Promise.resolve()

  constructor(options: TroubleOptions) {
    this.#options = options
    const { proxy, dice } = options
    proxy.fault = (method, path) => {
      // Starting an order cannot wait for a better network; what is queued can.
      if (method === 'GET' || !/\/(picks|complete)/.test(path) || !dice.falls(LOST_SHARE)) return 'none'
      const fault = dice.falls(0.7) ? 'lost after' : 'lost before'
      this.done[fault === 'lost after' ? 'lost responses' : 'lost requests']++
      return fault
    }
  }

  /** Has its turn before each step of the operator. */
  async maybe(): Promise<void> {
    const { dice } = this.#options
    if (dice.falls(0.02)) await this.have('cut')
    if (dice.falls(0.02)) await this.have('reload')
    if (dice.falls(0.002)) await this.have('restart')
    if (this.#isCut && dice.falls(0.05)) await this.mend()
  }

  /** Whether it happened: only a stop is loaded again. */
  async have(what: TroubleKind): Promise<boolean> {
    if (what === 'reload') return await this.#reload()
    if (what === 'cut') await this.cut()
    // The operator goes on while the server is down.
    else this.#restart()
    return true
  }

  /** No connection, from now on. */
  async cut(): Promise<void> {
    if (this.#isCut) return
    this.#isCut = true
    this.done.cuts++
    await this.#options.context.setOffline(true)
  }

  /** The connection is back. */
  async mend(): Promise<void> {
    await this.#restarted
    if (!this.#isCut) return
    this.#isCut = false
    await this.#options.context.setOffline(false)
  }

  /** The page is loaded again: the same screen, with what was taken at the stop. */
  async #reload(): Promise<boolean> {
    const { page } = this.#options
    const before = await look(page)
    if (before.problem !== undefined || before.screen !== 'pick') return false
    this.done.reloads++
    await page.reload()
    await expect.poll(async () => (await look(page)).heading).not.toBe('')
    const after = await look(page)
    // Or the flow has left the device meanwhile.
    if (after.screen === 'pick') expect([after.flow, after.taken]).toEqual([before.flow, before.taken])
    return true
  }

  #restart(): void {
    this.done.restarts++
    this.#restarted = this.#restarted.then(this.#options.restart)
  }
}
