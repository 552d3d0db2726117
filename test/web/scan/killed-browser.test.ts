import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { isBrowserSkipped } from '../../support/browser.ts'
import { newOrder } from '../../support/orders.ts'
import { expectConsistentPicking, stockedProduct, stockOf } from '../../support/picking.ts'
import { it } from '../../support/it.ts'
import { startKillableBrowser } from '../support/killable-browser.ts'
import { deviceOn, enrolledDevice, newOperator } from '../support/scan-device.ts'

const KILLS = 20
const STOPS = 3

/** Resolves when the operator has heard this many outcomes since the page was opened. */
const heard = (page: Page, number: number): Promise<unknown> =>
  page.evaluate(
    (number) =>
      new Promise((resolve) => {
        new PerformanceObserver(() => {
          if (performance.getEntriesByName('scan').length >= number) resolve(undefined)
        }).observe({ type: 'measure', buffered: true })
      }),
    number,
  )

/** Waits until something is shown; if it is not, says what is shown instead. */
async function whenShown(what: Locator, when: string): Promise<void> {
  try {
    await what.waitFor()
  } catch (error) {
    const text = await what
      .page()
      .locator('body')
      .innerText({ timeout: 5_000 })
      .catch((failure: unknown) => `nothing that can be read: ${String(failure)}`)
    throw new Error(`${when}, the page shows: ${text}`, { cause: error })
  }
}

it.skipIf(isBrowserSkipped)(
  'the browser is killed after each ok, 20 times: none is lost, none is doubled',
  async ({ folder, service, tenant, onTestFinished }) => {
    const products = []
    for (let stop = 1; stop <= STOPS; stop++) products.push(await stockedProduct(tenant, { [`A-${stop}`]: 100 }))
    const perLine = Math.ceil(KILLS / STOPS)
    const order = await newOrder(tenant, { order_detail: products.map(({ barcode }) => ({ barcode, quantity: perLine })) })
    const operator = await newOperator(tenant, 'Ada')
    let browser = await startKillableBrowser(folder)
    onTestFinished(() => browser.kill())
    const origin = service.url
    const first = await enrolledDevice(browser.page, tenant, operator, origin)
    await first.scan(order.order_tenant_id)
    // Browsers write cookies half a minute late; the sign-in is not what this is about.
    await browser.close()
    const flow = await flowOf(tenant, order.id)
    const restart = async (): Promise<void> => {
      browser = await startKillableBrowser(folder)
      await browser.page.goto(`${origin}/scan#/pick/${flow}`)
    }
    await restart()
    let taken = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const { page } = browser
      const stop = Math.floor(taken / perLine)
      await whenShown(page.getByRole('heading', { name: `A-${stop + 1}`, exact: true }), `After ${kill} kills`)
      // All that sounded ok before is there.
      await whenShown(page.getByText(`Taken here: ${taken % perLine}`, { exact: true }), `After ${kill} kills`)
      const device = await deviceOn(page)
      if (taken % perLine === 0) await device.scan(`A-${stop + 1}`)
      const outcomes = (await device.outcomes()).length
      const ok = heard(page, outcomes + 1)
      await device.scanner.scan(products[stop]?.barcode ?? '')
      await ok
      await browser.kill()
      taken++
      await restart()
    }
    const { page } = browser
    await whenShown(page.getByText(`Taken here: ${taken % perLine}`, { exact: true }), `After ${KILLS} kills`)
    const device = await deviceOn(page)
    for (; taken < perLine * STOPS; taken++)
      await device.scan(products[STOPS - 1]?.barcode ?? '', taken + 1 === perLine * STOPS ? 'order' : 'taken')
    await page.getByRole('button', { name: 'Complete' }).click()
    await expect.poll(async () => (await tenant.request('GET', `/orders/${order.id}`)).body.data.state_id).toBe(5)
    for (const [index, product] of products.entries())
      expect(await stockOf(tenant, product)).toEqual({ [`A-${index + 1}`]: 100 - perLine })
    await expectConsistentPicking(service.db, tenant)
  },
)

async function flowOf(tenant: Parameters<typeof newOrder>[0], orderId: number): Promise<number> {
  return (await tenant.request('GET', `/flows?order_id=${orderId}`)).body.data.flows[0].id
}
