// Moves whose answer is lost: the operator sends them again, and nothing is done twice.
import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { stockedProduct, stockOf } from '../../support/picking.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import { failStorage } from '../support/fail-storage.ts'
import { enrolledDevice, newOperator } from '../support/scan-device.ts'

const TRANSFER = '**/stock/transfer'

/** A device whose operator is about to move 3 × Tea from A-1, where 9 are, to B-1, where 2 are. */
async function readyToMove(page: Page, tenant: TestTenant) {
  const tea = await stockedProduct(tenant, { 'A-1': 9, 'B-1': 2 }, { name: 'Tea' })
  const { scan, scanner } = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada', { may_change_stock: true }))
  const move = page.getByRole('button', { name: 'Move', exact: true })
  const problem = page.getByRole('alertdialog', { name: 'Problem' })
  const enter = async (quantity: number): Promise<void> => {
    for (const code of [tea.barcode, 'A-1', 'B-1']) await scan(code)
    await page.getByRole('button', { name: String(quantity), exact: true }).click()
  }
  const loseAnswer = async (): Promise<void> => {
    const lose = async (route: Route): Promise<void> => {
      await route.fetch()
      await route.abort()
    }
    await page.route(TRANSFER, lose, { times: 1 })
    await move.click()
    await problem.getByText('No response from the server').waitFor()
    await scanner.scan('FC-OK')
  }
  await open(page, 'Move')
  await enter(3)
  return { tea, scanner, move, problem, enter, loseAnswer }
}

async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name }).click()
  await page.getByRole('heading', { name }).waitFor()
}

const it = base.extend('ready', ({ window, tenant }) => {
  window.expectComplaint(/ERR_FAILED/)
  return readyToMove(window.page, tenant)
})

it('a storage that fails offers to open the app again, but not while a move has no answer, which would be forgotten', async ({
  window: { page },
  tenant,
  ready: { tea, scanner, move, problem, loseAnswer },
}) => {
  /** What the operator can do about it. The server's answer about the session is to be stored. */
  const waysOut = async (): Promise<string[]> => {
    await failStorage(page, 'put', 'meta')
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await problem.getByText('This device could not store it').waitFor()
    return await problem.getByRole('button').allTextContents()
  }
  await loseAnswer()
  expect(await waysOut()).toEqual(['OK'])
  await scanner.scan('FC-OK')
  await move.click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 6, 'B-1': 5 })
  expect(await waysOut()).toEqual(['OK', 'Open the app again'])
  const isLoaded = page.waitForEvent('load')
  await problem.getByRole('button', { name: 'Open the app again' }).click()
  await isLoaded
  await page.getByRole('heading', { name: 'Move' }).waitFor()
})

it('a move whose answer was lost is there after a reload, and is not done twice', async ({
  window: { page },
  tenant,
  ready: { tea, move, loseAnswer },
}) => {
  await loseAnswer()
  await page.reload()
  await move.click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 6, 'B-1': 5 })
  // What was done is not there any more.
  await page.reload()
  await page.getByText('Scan the product.').waitFor()
  expect(await move.count()).toBe(0)
})

it('a move whose answer was lost is there after a reload, although the one before it was answered later', async ({
  window: { page },
  tenant,
  ready: { tea, move, enter, loseAnswer },
}) => {
  const isReleased = Promise.withResolvers<undefined>()
  const answerLate = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    await isReleased.promise
    await route.fulfill({ response })
  }
  await page.route(TRANSFER, answerLate)
  await move.click()
  await page.getByRole('button', { name: 'Start over' }).click()
  await open(page, 'Look up')
  await open(page, 'Move')
  await enter(1)
  await loseAnswer()
  const isAnswered = page.waitForResponse(TRANSFER)
  isReleased.resolve(undefined)
  await isAnswered
  await page.reload()
  await expect.poll(() => page.getByRole('definition').allTextContents()).toEqual(['Tea', 'A-1', 'B-1'])
  await move.click()
  await page.getByText('Scan the product.').waitFor()
  expect(await stockOf(tenant, tea)).toEqual({ 'A-1': 5, 'B-1': 6 })
})
