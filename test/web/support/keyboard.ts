import type { Page } from 'playwright-core'

const MAX_PRESSES = 80

/** Presses Tab until the element with this accessible name has the focus. */
export async function tabTo(page: Page, name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < MAX_PRESSES; presses++) {
    await page.keyboard.press(key)
    const focused = await focusedName(page)
    if (focused === name) return
    passed.push(focused)
  }
  throw new Error(`${key} does not reach ${name}: ${passed.join(', ')}`)
}

/** The name of the element with the focus: of its label, or its text. */
export function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement
    const labelled = element?.getAttribute('aria-labelledby')?.split(' ') ?? []
    const text = labelled.map((id) => document.querySelector(`[id="${id}"]`)?.textContent ?? '').join(' ')
    const hasLabels = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
    const label = hasLabels ? (element.labels?.[0]?.textContent ?? '') : ''
    return (text || element?.getAttribute('aria-label') || label || element?.textContent || '').trim()
  })
}

/** The heading of the screen if it has the focus. A link to the screen has the same name, but is no heading. */
export const focusedHeading = (page: Page): Promise<string | null> =>
  page.evaluate(() => document.querySelector('h1:focus')?.textContent ?? null)
