import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { whenSent } from './device-queue.ts'
import type { Dice } from './dice.ts'
import { look } from './hands.ts'
import type { Goods, Ledger } from './ledger.ts'

interface Item {
  /** Of a refused pick: where it belongs, and what it took. */
  order: string
  goods: Goods | undefined
  /** Names of its buttons. */
  ways: string[]
}

/** The operator in front of the screen of problems. */
export class ProblemSolver {
  /** How often each way out was taken. */
  readonly done = new Map<string, number>()
  readonly #page: Page
  readonly #dice: Dice
  readonly #ledger: Ledger

  constructor(page: Page, dice: Dice, ledger: Ledger) {
    this.#page = page
    this.#dice = dice
    this.#ledger = ledger
  }

  /** Decides on this share of the problems. */
  async solve(share: number): Promise<void> {
    const page = this.#page
    if ((await look(page)).refused === 0) return
    await page.goto('/scan#/problems')
    let index = 0
    do {
      // Entries that are refused meanwhile would move the others.
      await whenSent(page)
      if (!this.#dice.falls(share) || !(await this.#solveOne(index))) index++
    } while ((await this.#items()).length > index)
    await page.goto('/scan#/queue')
    await expect.poll(async () => (await look(page)).screen).toBe('queue')
  }

  async #items(): Promise<Item[]> {
    const items = await this.#page.evaluate(() =>
      [...document.querySelectorAll('main li')].map((item) => ({
        text: [...item.querySelectorAll('p')].map(({ textContent }) => textContent).join('\n'),
        ways: [...item.querySelectorAll('button')].map(({ textContent }) => textContent),
      })),
    )
    return items.map(({ text, ways }) => {
      const [, order = '', quantity, product = '', location = ''] = /^(.+): ([\d.]+) × (.+) from (.+)$/m.exec(text) ?? []
      return { order, ways, goods: order === '' ? undefined : { product, location, quantity: Number(quantity) } }
    })
  }

  /** Takes one of the ways out of a problem. Returns whether that was possible. */
  async #solveOne(index: number): Promise<boolean> {
    const item = (await this.#items())[index]
    if (item === undefined) return false
    const way = this.#dice.one(item.ways)
    await this.#page.evaluate(() => performance.clearMeasures('scan'))
    await this.#page.getByRole('listitem').nth(index).getByRole('button', { name: way }).click()
    if (way === 'Take from elsewhere' && !(await this.#takeElsewhere(item))) return false
    if (way.startsWith('Count ')) await this.#count(way)
    if (way === 'I put it back' && item.goods !== undefined) this.#ledger.putBack(item.order, item.goods)
    const name = way.startsWith('Count ') ? 'Count' : way
    this.done.set(name, (this.done.get(name) ?? 0) + 1)
    const verdicts = (): Promise<number> => this.#page.evaluate(() => performance.getEntriesByName('scan').length)
    await expect.poll(verdicts, { interval: 10 }).toBe(1)
    return true
  }

  async #takeElsewhere({ order, goods }: Item): Promise<boolean> {
    const dialog = this.#page.getByRole('dialog', { name: 'Take from elsewhere' })
    const others = (await dialog.getByRole('button').allTextContents()).filter((name) => name !== 'Back')
    const other = others.length === 0 ? 'Back' : this.#dice.one(others)
    await dialog.getByRole('button', { name: other }).click()
    if (goods !== undefined && other !== 'Back') this.#ledger.move(order, goods, other.replace(/: [\d.]+$/, ''))
    return other !== 'Back'
  }

  async #count(way: string): Promise<void> {
    const dialog = this.#page.getByRole('dialog', { name: way })
    await dialog.getByRole('button', { name: '9', exact: true }).click()
    await dialog.getByRole('button', { name: 'Save the count' }).click()
  }
}
