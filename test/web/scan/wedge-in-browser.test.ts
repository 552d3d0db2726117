import { describe, expect } from 'vitest'
import { newOrder } from '../../support/orders.ts'
import { stockedProduct } from '../../support/picking.ts'
import { it as base, type TestTenant } from '../support/browser.ts'
import type { BurstOptions } from '../support/scanner.ts'
import { type Device, enrolledDevice, newOperator } from '../support/scan-device.ts'

const GTIN = '4006381333931'
const ORDERED = 20

/** A device that picks 20 pieces of one product at `ZY-01`, where the operator is. */
const it = base.extend('picking', async ({ window: { page }, tenant }) => await picking(page, tenant))

async function picking(page: Device['page'], tenant: TestTenant): Promise<Device & { take: () => Promise<string | null> }> {
  const product = await stockedProduct(tenant, { 'ZY-01': 50 }, { barcode: GTIN })
  const order = await newOrder(tenant, { order_detail: [{ barcode: product.barcode, quantity: ORDERED }] })
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await device.scan(order.order_tenant_id)
  await device.scan('ZY-01')
  return { ...device, take: () => page.getByText(/^Take \d+$/).textContent() }
}

const leftAfter = (scans: number): string => `Take ${ORDERED - scans}`

describe('each is one scan', () => {
  const cases: [name: string, text: string, options: BurstOptions][] = [
    ['gaps of 5 ms', GTIN, { gapMs: 5 }],
    ['gaps of 20 ms', GTIN, { gapMs: 20 }],
    ['gaps of 34 ms', GTIN, { gapMs: 34 }],
    ['Tab at the end', GTIN, { end: 'tab' }],
    ['Enter twice at the end', GTIN, { end: 'two enters' }],
    ['an AIM prefix', `]E0${GTIN}`, {}],
    ['a GTIN-14', `0${GTIN}`, {}],
    ['another layout', `]E0${GTIN}`, { layout: 'german' }],
  ]
  it('however it is sent', async ({ picking }) => {
    // What a key of the scanner presses, if it gets through.
    await picking.page.getByRole('button', { name: 'Undo' }).focus()
    for (const [index, [name, text, options]] of cases.entries()) {
      const before = (await picking.outcomes()).length
      await picking.scanner.scan(text, options)
      await expect.poll(async () => (await picking.outcomes()).slice(before), { message: name }).toEqual(['taken'])
      expect(await picking.take(), name).toBe(leftAfter(index + 1))
      // The same code again at once would be one scan.
      await picking.page.waitForTimeout(300)
    }
  })

  it('a location with letters that the layout of the device swaps', async ({ picking }) => {
    const before = (await picking.outcomes()).length
    await picking.scanner.scan('ZY-01', { layout: 'german' })
    await expect.poll(async () => (await picking.outcomes()).slice(before)).toEqual(['taken'])
    expect(await picking.page.getByRole('status', { name: 'Last scan' }).textContent()).toBe('At ZY-01')
  })

  it('no end at all, when the device is set so', async ({ picking }) => {
    const { page, scanner } = picking
    await scanner.scan(GTIN, { end: 'none' })
    await page.waitForTimeout(300)
    expect(await picking.take()).toBe(leftAfter(0))
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Diagnostics' }).click()
    await page.getByRole('checkbox', { name: 'The scanner sends no Enter' }).check()
    await page.goBack()
    await page.getByRole('heading', { name: 'ZY-01' }).waitFor()
    const before = (await picking.outcomes()).length
    await scanner.scan(GTIN, { end: 'none' })
    await expect.poll(async () => (await picking.outcomes()).slice(before)).toEqual(['taken'])
    expect(await picking.take()).toBe(leftAfter(1))
  })

  it('as slow as the device is set', async ({ picking }) => {
    const { page, scanner } = picking
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name: 'Diagnostics' }).click()
    const gap = page.getByRole('textbox', { name: 'Longest gap between characters, ms' })
    await gap.fill('120')
    await gap.blur()
    await page.goBack()
    // What the Enter of the scanner presses, if it gets through.
    await page.getByRole('button', { name: 'Undo' }).focus()
    const before = (await picking.outcomes()).length
    await scanner.scan(GTIN, { gapMs: 100 })
    await expect.poll(async () => (await picking.outcomes()).slice(before)).toEqual(['taken'])
    expect(await picking.take()).toBe(leftAfter(1))
  })

  it('one right after the other', async ({ picking }) => {
    const before = (await picking.outcomes()).length
    await picking.scanner.scanAll(['ZY-01', GTIN, 'ZY-01', GTIN])
    await expect.poll(async () => (await picking.outcomes()).slice(before)).toHaveLength(4)
    expect(await picking.take()).toBe(leftAfter(2))
  })

  it('in a text field, which keeps what a person typed there', async ({ picking }) => {
    const { page } = picking
    await page.getByRole('button', { name: 'Quantity' }).click()
    const field = page.getByRole('textbox', { name: 'Quantity' })
    await field.fill('13')
    await field.evaluate((input: HTMLInputElement) => input.setSelectionRange(1, 2))
    const kept = field.evaluate(
      (input: HTMLInputElement) =>
        new Promise((resolve) => {
          addEventListener('keyup', ({ key }) => {
            if (key === 'Enter') resolve([input.value, input.selectionStart, input.selectionEnd])
          })
        }),
    )
    const before = (await picking.outcomes()).length
    await picking.scanner.scan(GTIN)
    expect(await kept).toEqual(['13', 1, 2])
    await expect.poll(async () => (await picking.outcomes()).slice(before)).toEqual(['taken'])
    expect(await picking.take()).toBe(leftAfter(1))
  })
})

it('a space inside a code does not press the checkbox that has the focus', async ({ window: { page }, tenant }) => {
  const device = await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('menuitem', { name: 'Diagnostics' }).click()
  const choice = page.getByRole('checkbox', { name: 'The scanner sends no Enter' })
  await choice.check()
  await device.scan('A 01', 'problem')
  expect(await choice.isChecked()).toBe(true)
})

it('the longest gap between characters is stored when its field is left with a possible one, and not while it is typed', async ({
  window: { page },
  tenant,
}) => {
  await enrolledDevice(page, tenant, await newOperator(tenant, 'Ada'))
  const go = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('menuitem', { name }).click()
  }
  const field = page.getByRole('textbox', { name: 'Longest gap between characters, ms' })
  const reason = field.locator('..').getByRole('alert')
  /** A person, slower than any scanner. */
  const type = async (text: string): Promise<void> => {
    await field.fill('')
    await field.pressSequentially(text, { delay: 150 })
  }
  /** What is in effect, as the screen shows it when the operator comes back. */
  const gap = async (): Promise<string> => {
    await go('Look up')
    await page.getByRole('heading', { name: 'Look up' }).waitFor()
    await go('Diagnostics')
    return await field.inputValue()
  }
  await go('Diagnostics')
  for (const text of ['1000', '5', '200', 'abc', '']) {
    await type(text)
    expect(await reason.count(), text).toBe(0)
    await field.blur()
    const isInvalid = await field.getAttribute('aria-invalid')
    const why = (await reason.count()) === 0 ? null : await reason.textContent()
    expect([await gap(), isInvalid, why], text).toEqual(['35', 'true', 'Not stored: enter a whole number from 20 to 120'])
  }
  await page.getByText('From 20 to 120', { exact: true }).waitFor()
  await type('120')
  await field.blur()
  expect([await reason.count(), await gap()]).toEqual([0, '120'])
  await type('19')
  await page.keyboard.press('Enter')
  await reason.waitFor()
  await type('20')
  await page.keyboard.press('Enter')
  await page.waitForTimeout(300)
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('20')
})

describe('none is a scan', () => {
  it('digits that a person types, with Enter', async ({ picking }) => {
    const before = (await picking.outcomes()).length
    await picking.scanner.scan(GTIN, { gapMs: 60 })
    await picking.page.waitForTimeout(300)
    expect(await picking.outcomes()).toHaveLength(before)
    expect(await picking.take()).toBe(leftAfter(0))
  })

  it('a quantity that a person types, confirmed with Enter', async ({ picking }) => {
    const { page } = picking
    await page.getByRole('button', { name: 'Quantity' }).click()
    await page.getByRole('textbox', { name: 'Quantity' }).focus()
    await picking.scanner.scan('12', { gapMs: 150 })
    await expect.poll(() => picking.take()).toBe(leftAfter(12))
  })

  it('the same code again within 300 ms', async ({ picking }) => {
    const before = (await picking.outcomes()).length
    await picking.scanner.scanAll([GTIN, GTIN], 5)
    await expect.poll(async () => (await picking.outcomes()).length).toBe(before + 1)
    await picking.scan('ZY-01')
    expect(await picking.take()).toBe(leftAfter(1))
  })

  it('anything while a problem is shown: it sounds the error until it is acknowledged', async ({ picking }) => {
    const { page } = picking
    await picking.scan('no such code', 'problem')
    const dialog = page.getByRole('alertdialog', { name: 'Problem' })
    await dialog.getByText('Scanned: no such code').waitFor()
    // After the first Esc, the browser closes the dialog whatever the page says.
    for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
    await picking.scan(GTIN, 'problem')
    expect(await dialog.isVisible()).toBe(true)
    await picking.scanner.scan('FC-OK')
    await expect.poll(() => dialog.count()).toBe(0)
    expect(await picking.take()).toBe(leftAfter(0))
    await picking.scan(GTIN)
    expect(await picking.take()).toBe(leftAfter(1))
  })
})

describe('command barcodes', () => {
  it('press the button of their name, where it is shown', async ({ picking }) => {
    const { page, scanner } = picking
    await picking.scan(GTIN)
    await scanner.scan('FC-UNDO')
    await expect.poll(() => picking.take()).toBe(leftAfter(0))
    await scanner.scan('FC-SHORT')
    const short = page.getByRole('dialog', { name: 'Short' })
    await short.waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => short.count()).toBe(0)
    // Nothing is taken: there is nothing to confirm.
    await picking.scan('FC-CONFIRM', 'problem')
    await scanner.scan('FC-OK')
    await scanner.scan('FC-ALL')
    await page.getByRole('heading', { name: /^Finish/ }).waitFor()
  })
})
