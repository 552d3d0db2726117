import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { photograph } from '../looks/photograph.ts'
import { axe, OF_COLOURS } from '../support/axe.ts'
import { it } from '../support/browser.ts'
import { focusedHeading, focusedName, tabTo } from '../support/keyboard.ts'
import { layoutProblems } from '../support/layout.ts'
import { goToScreen, goToScreenAfresh, openScreen, resize, twoFrames } from '../support/open-screen.ts'
import { seed, signIn } from '../support/page-server.ts'
import { fillScreens, SCREENS } from '../support/screens.ts'

/** Banner and navigation, which are the same on every screen. */
const FRAME = ['#root > header', 'nav[aria-label="Main"]']
/**
 * How everything is looked at. What a rule finds depends on the width, by what is shown there, or on the scheme, by its colours; not on both:
 * the pages have no colours but those of the tokens, and `contrast.test.ts` holds each pair of them against the limit in both schemes.
 */
const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 320, colorScheme: 'dark' },
] as const
/** Of a test that opens every screen at each width and in each scheme, on a machine that others use too. */
const timeout = 900_000
/** Screens that need nothing from the server to be shown. */
const READ_NOTHING = new Set([
  '/products/import',
  '/stock/import',
  '/orders/new',
  '/products/new',
  '/inbound/new',
  '/returns/new',
  '/counts/new',
  '/webhooks/new',
  '/keys/new',
  '/devices/commands',
  '/reconcile',
])

type Look = (typeof LOOKS)[number]

/** Sets width and scheme. */
async function lookAt(page: Page, { width, colorScheme }: Look): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await resize(page, width)
}

/** What axe finds, in each look. The frame can be left out where it has been looked at. */
async function findingsIn(page: Page, name: string, without: string[] = []): Promise<string[]> {
  const found: string[] = []
  for (const look of LOOKS) {
    await lookAt(page, look)
    found.push(
      ...(await axe(page, { without })).map((violation) => `${name}, ${look.width} px, ${look.colorScheme}: ${violation}`),
    )
  }
  return found
}

/** What axe finds on a dialog. The rest of the page is inert. */
async function findingsOfDialog(page: Page, name: string): Promise<string[]> {
  const found = await findingsIn(page, name)
  await lookAt(page, LOOKS[0])
  return found
}

/** What axe finds on a state of a screen that is also seen with data, and what is wrong with its layout. */
async function findingsOfState(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const look of LOOKS.toReversed()) {
    await lookAt(page, look)
    const violations = [...(await axe(page, { without: FRAME })), ...(await layoutProblems(page))]
    found.push(...violations.map((violation) => `${name}, ${look.width} px, ${look.colorScheme}: ${violation}`))
  }
  return found
}

/**
 * What is wrong with the screen in each look: what axe finds, pictures that show nothing, targets that are too small, and the layout. Then what
 * axe finds with forced colours, and the layout in large text.
 */
async function problemsOf(page: Page, address: string, isFrameKnown: boolean): Promise<string[]> {
  const found: string[] = []
  const without = isFrameKnown ? FRAME : []
  for (const look of LOOKS) {
    const { width, colorScheme } = look
    await lookAt(page, look)
    const problems = [
      // What concerns both the frame and the screen, such as names of regions, is found on the first look.
      ...(await axe(page, { without: look === LOOKS[0] ? [] : without })),
      ...(await photograph(page, address, width, colorScheme)),
      ...(await layoutProblems(page)),
      ...(await smallTargets(page)),
    ]
    found.push(...problems.map((problem) => `${address}, ${width} px, ${colorScheme}: ${problem}`))
  }
  // In dark, axe takes the colours from before they were forced.
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  await resize(page, 1280)
  const forced = await axe(page, { rules: OF_COLOURS, without })
  found.push(...forced.map((violation) => `${address}, forced colours: ${violation}`))
  await page.emulateMedia({ forcedColors: 'none' })
  const setTextSize = (size: string): Promise<unknown> =>
    page.evaluate((to) => (document.documentElement.style.fontSize = to), size)
  await setTextSize('200%')
  found.push(...(await lastingProblems(page)).map((problem) => `${address}, text of 200 %: ${problem}`))
  // The next screen is drawn in the same document.
  await setTextSize('')
  return found
}

/** What is wrong with the layout once pictures have been drawn again. */
async function lastingProblems(page: Page): Promise<string[]> {
  let problems: string[] = []
  for (let looks = 0; looks < 20; looks++) {
    await twoFrames(page)
    problems = await layoutProblems(page)
    if (problems.length === 0) break
  }
  return problems
}

it(
  'on any screen with data, wide in light and narrow in dark: axe finds nothing, with forced colours too; no screen is blank, scrolls sideways, or cuts or overlaps its texts, nor in text of 200 %; targets are 24 px or more, buttons and fields 32',
  { timeout },
  async ({ window: { page }, tenant }) => {
    const paths = [...SCREENS, ...(await fillScreens(tenant))]
    await page.goto('/dashboard/sign-in')
    await page.getByRole('heading').waitFor()
    const found = await problemsOf(page, '/sign-in', false)
    await signIn(page, tenant.key)
    for (const [index, path] of paths.entries()) {
      await goToScreen(page, path)
      found.push(...(await problemsOf(page, path, index > 0)))
    }
    expect(found).toEqual([])
  },
)

describe('axe finds nothing, wide in light and narrow in dark', () => {
  it('on any screen whose reads fail', { timeout }, async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/500/)
    await signIn(page, tenant.key)
    const error = { code: 'internal_error', message: 'Something broke' }
    await page.route('**/dashboard/api/v1/**', (route) => route.fulfill({ status: 500, json: { success: false, error } }))
    const records = [
      '/orders/17',
      '/products/17',
      '/picking/17',
      '/keys/17',
      '/webhooks/17',
      '/events/evt_17',
      '/inbound/17',
      '/returns/17',
      '/counts/17',
    ]
    const found: string[] = []
    for (const path of [...SCREENS.filter((screen) => !READ_NOTHING.has(screen)), ...records]) {
      await goToScreen(page, path)
      await page.getByRole('alert').getByText('Something broke').first().waitFor()
      found.push(...(await findingsOfState(page, path)))
    }
    expect(found).toEqual([])
  })

  it('on empty lists, missing records and an unknown address', { timeout }, async ({ window, tenant }) => {
    const { page } = window
    window.expectComplaint(/404/)
    await signIn(page, tenant.key)
    const found: string[] = []
    const empty = ['/orders', '/products', '/stock', '/movements', '/picking', '/locations', '/locations/labels']
    const reserving = ['/reservations', '/reservations?show=holds', '/inbound', '/returns', '/counts']
    const others = ['/webhooks', '/events', '/usage', '/audit', '/operators', '/devices']
    for (const path of [...empty, ...reserving, ...others, '/orders/17', '/picking/17', '/webhooks/17', '/nowhere']) {
      await goToScreen(page, path)
      found.push(...(await findingsOfState(page, path)))
    }
    expect(found).toEqual([])
  })

  it('on dialogs', { timeout }, async ({ window, tenant }) => {
    window.expectComplaint(/404/)
    const { page } = window
    const { id } = await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    await signIn(page, tenant.key)
    await goToScreen(page, `/products/${id}`)
    const found: string[] = []
    for (const name of ['Adjust stock', 'Set stock', 'Transfer', 'Search', 'Requests']) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('dialog', { name }).waitFor()
      found.push(...(await findingsOfDialog(page, name)))
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    found.push(...(await findingsOfDialog(page, 'keys')))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Adjust stock' }).click()
    await page.getByRole('textbox', { name: 'Location' }).fill('A-01')
    await page.getByRole('spinbutton', { name: 'Change' }).fill('5')
    await page.getByRole('button', { name: 'Adjust', exact: true }).press('Enter')
    await page.getByText('Check this box to create the location').waitFor()
    found.push(...(await findingsOfDialog(page, 'a new location')))
    await page.getByRole('checkbox', { name: 'Create location A-01' }).press('Space')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Tea').last().waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    found.push(...(await findingsOfDialog(page, 'after a save')))
    expect(found).toEqual([])
  })

  it(
    'on the dialogs of picking, goods, locations, holds, operators and devices',
    { timeout },
    async ({ window: { page }, tenant }) => {
      const records = await fillScreens(tenant)
      const recordOf = (screen: string): string => records.find((path) => path.startsWith(`/${screen}/`)) ?? ''
      const flow = recordOf('picking')
      await signIn(page, tenant.key)
      const found: string[] = []
      for (const [path, button, name = button] of [
        ['/picking', 'Assign SHOP-1', 'Assign'],
        ['/picking', 'Cancel flow SHOP-1'],
        [flow, 'Undo Tea from A-01'],
        [recordOf('returns'), 'Receive'],
        [recordOf('counts'), 'Add an entry'],
        ['/locations', 'Edit A-01'],
        ['/reservations?show=holds', 'Release cart-81'],
        ['/operators', 'Add operator'],
        ['/operators', 'Edit Ada Lovelace'],
        ['/operators', 'New badge for Ada Lovelace', 'Badge of Ada Lovelace'],
      ] as const) {
        await goToScreenAfresh(page, path)
        await page.getByRole('button', { name: button, exact: true }).click()
        await page.getByRole('dialog', { name }).waitFor()
        await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0)
        found.push(...(await findingsOfDialog(page, button)))
        // Turned while the dialog is open.
        for (const { width } of LOOKS.toReversed()) {
          await resize(page, width)
          await expect.poll(() => layoutProblems(page), { message: `${button} at ${width} px` }).toEqual([])
        }
      }
      // A badge is shown on every screen until it is closed.
      await page.getByRole('dialog', { name: 'Badge of Ada Lovelace' }).getByRole('button', { name: 'Close' }).last().click()
      await goToScreenAfresh(page, '/devices')
      await page.getByRole('button', { name: 'Enrol a device' }).click()
      await page.getByRole('textbox', { name: 'Device name' }).fill('Handheld 3')
      found.push(...(await findingsOfDialog(page, 'Enrol a device')))
      await page.getByRole('button', { name: 'Make a code' }).click()
      await page.getByRole('img', { name: 'Barcode' }).waitFor()
      found.push(...(await findingsOfDialog(page, 'Make a code')), ...(await layoutProblems(page)))
      expect(found).toEqual([])
    },
  )
})

describe('focus', () => {
  it('goes to the heading after a navigation; the skip link is first', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await focusedName(page)).toBe('Skip to content')
    await page.getByRole('link', { name: 'Products' }).click()
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor()
    await expect.poll(() => focusedHeading(page)).toBe('Products')
    expect(await page.title()).toBe('Products · test tenant · Fulfillment')
  })

  it('follows the order on the screen: banner, navigation, main', async ({ window: { page }, tenant }) => {
    await fillScreens(tenant)
    await signIn(page, tenant.key, '/orders')
    await page.getByRole('table', { name: 'Orders' }).waitFor()
    const parts: string[] = []
    for (let presses = 0; presses < 60; presses++) {
      await page.keyboard.press('Tab')
      const part = await page.evaluate(() => {
        const { activeElement } = document
        return (activeElement?.closest('main') ?? activeElement?.closest('header, nav'))?.tagName ?? 'none'
      })
      if (part === 'none' && parts.includes('MAIN')) break
      if (parts.at(-1) !== part) parts.push(part)
    }
    expect(parts.slice(0, 4)).toEqual(['none', 'HEADER', 'NAV', 'MAIN'])
  })

  it('returns to what opened a dialog', async ({ window: { page }, tenant }) => {
    await signIn(page, tenant.key, '/keys')
    await page.getByRole('table', { name: 'API keys' }).waitFor()
    for (const name of ['Search', 'Requests', 'Revoke test key']) {
      await page.getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      expect(await page.evaluate(() => document.activeElement?.closest('[role=dialog]') !== null)).toBe(true)
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await expect.poll(() => focusedName(page)).toBe(name)
    }
  })

  it('goes to the heading when a dialog is left with its screen', async ({ window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
    await signIn(page, tenant.key)
    await openScreen(page, `/webhooks/${id}`)
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete shop' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    await expect.poll(() => focusedHeading(page)).toBe('Webhooks')
  })

  it('goes to the heading when what opened a dialog leaves the screen', async ({ window: { page }, tenant }) => {
    await fillScreens(tenant)
    await signIn(page, tenant.key)
    await openScreen(page, '/picking')
    // By its attribute, not its role: behind a dialog it has none.
    const opener = page.locator('[aria-label="Cancel flow SHOP-1"]')
    await opener.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel flow SHOP-1' }).click()
    await opener.waitFor({ state: 'detached' })
    await expect.poll(() => focusedHeading(page)).toBe('Picking')
  })

  it('returns to what opened the first of two dialogs', async ({ window: { page }, tenant }) => {
    const { id } = await seed(tenant, '/webhooks', { name: 'shop', url: 'http://127.0.0.1:9/hook', events: ['*'] })
    await signIn(page, tenant.key)
    await openScreen(page, `/webhooks/${id}`)
    await page.getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('Rotate secret')

    await openScreen(page, '/devices')
    await page.getByRole('button', { name: 'Enrol a device' }).click()
    await page.getByRole('textbox', { name: 'Device name' }).fill('Handheld 3')
    await page.getByRole('button', { name: 'Make a code' }).click()
    await page.getByRole('textbox', { name: 'Enrolment code' }).waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focusedName(page)).toBe('Enrol a device')
  })

  it('can be seen on every element that has it, with forced colours too', async ({ window: { page }, tenant }) => {
    await fillScreens(tenant)
    await signIn(page, tenant.key, '/orders')
    for (const forcedColors of ['none', 'active'] as const) {
      await page.emulateMedia({ forcedColors })
      await page.goto('/dashboard/orders')
      await page.getByRole('table', { name: 'Orders' }).waitFor()
      const hidden: string[] = []
      for (let presses = 0; presses < 40; presses++) {
        await page.keyboard.press('Tab')
        if (!(await isFocusSeen(page))) hidden.push(await focusedName(page))
      }
      expect([forcedColors, hidden]).toEqual([forcedColors, []])
    }
  })
})

describe('the banner', () => {
  it('covers no element that has the focus', async ({ window: { page }, tenant }) => {
    await seed(tenant, '/products', { name: 'Tea', barcode: '1' })
    const order_detail = [{ barcode: '1', quantity: 1 }]
    const orders = Array.from({ length: 60 }, (_, index) => ({
      order_tenant_id: `SHOP-${index}`,
      assembly_date: '2030-01-15',
      order_detail,
    }))
    await seed(tenant, '/orders', { orders })
    await signIn(page, tenant.key)
    await openScreen(page, '/orders')
    await page.getByRole('button', { name: 'Next page' }).focus()
    const covered: string[] = []
    for (let presses = 0; presses < 55; presses++) {
      await page.keyboard.press('Shift+Tab')
      const isCovered = await page.evaluate(() => {
        const banner = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
        return (document.activeElement?.getBoundingClientRect().top ?? 0) < banner
      })
      if (isCovered) covered.push(await focusedName(page))
    }
    expect(covered).toEqual([])
    expect(await page.evaluate(() => scrollY)).toBe(0)

    // On a phone, neither does a message: not the end of a list, and not the buttons of a dialog.
    await resize(page, 390)
    const message = page.locator('[role=status] p').last()
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await message.waitFor()
    expect(await coveredAtTheEnd(page, 'html', 'main')).toEqual([])
    await openScreen(page, '/keys')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await message.waitFor()
    // As high as a dialog may be.
    await page.getByRole('button', { name: /^Revoke/ }).click()
    const dialog = page.getByRole('dialog')
    const height = (await dialog.boundingBox())?.height ?? 0
    await resize(page, 390, Math.ceil(height) + 60)
    expect(await coveredAtTheEnd(page, ':has(> * > [role=dialog])', '[role=dialog]')).toEqual([])
  })
})

/** The controls that messages lie on when what contains them is scrolled to its end. */
function coveredAtTheEnd(page: Page, scroller: string, part: string): Promise<string[]> {
  return page.evaluate(
    ([scroller, part]) => {
      const scrolled = document.querySelector(scroller)
      scrolled?.scrollTo(0, scrolled.scrollHeight)
      const messages = [...document.querySelectorAll('[role=status] p')].map((message) => message.getBoundingClientRect())
      if (messages.length === 0) return ['there is no message']
      const controls = [...document.querySelectorAll<HTMLElement>(`${part} :is(a, button, input)`)]
      const isCovered = ({ top, bottom, left, right }: DOMRect): boolean =>
        messages.some((one) => one.top < bottom && top < one.bottom && one.left < right && left < one.right)
      return controls
        .filter((control) => control.checkVisibility() && isCovered(control.getBoundingClientRect()))
        .map((control) => control.ariaLabel ?? control.textContent ?? control.tagName)
    },
    [scroller, part] as const,
  )
}

/** Targets below the limits, a line each; links within a sentence are as high as its line. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const rem = 16
    const targets = [...document.querySelectorAll<HTMLElement>('a, button, summary, input, textarea, [role=link]')]
    return targets.flatMap((target) => {
      const isHidden = target.closest('[aria-hidden=true]') !== null || !target.checkVisibility({ visibilityProperty: true })
      const isSkipLink = target.getAttribute('href') === '#main'
      if (isHidden || isSkipLink || target.parentElement?.tagName === 'P') return []
      const box = (target.closest('label') ?? target).getBoundingClientRect()
      const least = target.tagName === 'A' || target.tagName === 'SUMMARY' ? 1.5 * rem : 2 * rem
      const name = target.ariaLabel ?? target.textContent
      return Math.min(box.width, box.height) < least - 0.5 ? [`${target.tagName} ${name}: ${box.width} x ${box.height}`] : []
    })
  })
}

/** Whether the focused element, or what stands for it, has an outline of 3 px within the window, in a colour that can be seen. */
function isFocusSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body) return true
    const drawn = [...(element.closest('label')?.querySelectorAll('*') ?? [])]
    const hasRing = [element, ...drawn].some((one) => {
      const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one)
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2.5 && !/^rgba\(.*, 0\)$/.test(outlineColor)
    })
    const { top, bottom } = element.getBoundingClientRect()
    return hasRing && bottom > 0 && top < innerHeight
  })
}

describe('other ways to look at it', () => {
  it('with forced colours, what is chosen can be told', async ({ window: { page }, tenant }) => {
    await page.emulateMedia({ forcedColors: 'active' })
    await signIn(page, tenant.key)
    await openScreen(page, '/orders')
    const box = page.getByRole('group', { name: 'State' }).locator('label').filter({ hasText: 'Pending' })
    const before = await box.screenshot()
    await page.getByRole('checkbox', { name: 'Pending' }).check({ force: true })
    await page.mouse.move(0, 0)
    expect((await box.screenshot()).equals(before)).toBe(false)
  })

  it('a page without sight of colours is used by keyboard: the menu of a narrow screen', async ({ window: { page }, tenant }) => {
    await resize(page, 320)
    await signIn(page, tenant.key, '/orders')
    await tabTo(page, 'Menu')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Menu' }).waitFor()
    await tabTo(page, 'Audit')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    await expect.poll(() => focusedHeading(page)).toBe('Audit')
  })
})
