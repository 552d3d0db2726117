import type { Page } from 'playwright-core'

/** A desk's screen in text sizes: no table has to scroll there. */
const DESK_REM = 1280 / 16

/**
 * What is wrong with the layout of the page, a line each: it scrolls sideways, has a dialog that is too wide, on a desk's screen a table
 * scrolls, it is empty, or has texts that are cut or lie on each other.
 */
export async function layoutProblems(page: Page): Promise<string[]> {
  return await page.evaluate((deskRem) => {
    const { documentElement } = document
    const problems: string[] = []
    const overflow = documentElement.scrollWidth - documentElement.clientWidth
    if (overflow > 0) problems.push(`scrolls sideways by ${overflow} px`)
    for (const dialog of document.querySelectorAll('[role=dialog]'))
      if (dialog.getBoundingClientRect().right > innerWidth + 1) problems.push('has a dialog that is wider than the window')
    const rem = Number.parseFloat(getComputedStyle(documentElement).fontSize)
    for (const table of innerWidth < deskRem * rem ? [] : document.querySelectorAll('table')) {
      const region = table.parentElement
      if (region !== null && region.scrollWidth > region.clientWidth) problems.push(`${region.ariaLabel} scrolls sideways`)
    }
    const texts = visibleTexts()
    if (texts.length < 3) problems.push('is blank')
    for (const { text, element } of texts) if (isCut(element)) problems.push(`cuts "${text}"`)
    texts.forEach((one, index) => {
      for (const other of texts.slice(index + 1)) {
        // An ellipsis is a second box of its line.
        const isOneLine = one.element === other.element && one.rect.top === other.rect.top
        if (one.layer === other.layer && !isOneLine && overlap(one.rect, other.rect))
          problems.push(`"${one.text}" lies on "${other.text}"`)
      }
    })
    return problems

    /** Texts as they are drawn, a line each. What scrolls out of its region is not drawn. */
    function visibleTexts() {
      const found: { text: string; element: Element; rect: DOMRect; layer: Element | null }[] = []
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
      while (walker.nextNode()) {
        const node = walker.currentNode
        const element = node.parentElement
        const text = node.textContent?.trim() ?? ''
        if (text === '' || element === null || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          continue
        const range = document.createRange()
        range.selectNodeContents(node)
        for (const rect of range.getClientRects()) {
          const drawn = drawnPart(element, rect)
          if (drawn.width < 2 || drawn.height < 2) continue
          found.push({ text: text.slice(0, 40), element, rect: drawn, layer: layerOf(element) })
        }
      }
      return found
    }

    /** Sticky and fixed parts lie on others on purpose. */
    function layerOf(element: Element): Element | null {
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        if (['fixed', 'sticky'].includes(getComputedStyle(at).position)) return at
      }
      return null
    }

    /** What of it is within the elements that clip it. */
    function drawnPart(element: Element, rect: DOMRect): DOMRect {
      let { left, top, right, bottom } = rect
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const { overflowX, clipPath } = getComputedStyle(at)
        if (clipPath !== 'none') return new DOMRect()
        if (overflowX === 'visible') continue
        const box = at.getBoundingClientRect()
        left = Math.max(left, box.left)
        top = Math.max(top, box.top)
        right = Math.min(right, box.right)
        bottom = Math.min(bottom, box.bottom)
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
    }

    /** Text that does not fit, without a sign that there is more and without a way to scroll to it. */
    function isCut(element: Element): boolean {
      const { overflowX, textOverflow } = getComputedStyle(element)
      return overflowX === 'hidden' && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1
    }

    function overlap(one: DOMRect, other: DOMRect): boolean {
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
      // Boxes of lines reach a little over their letters.
      return width > 2 && height > 0.4 * Math.min(one.height, other.height)
    }
  }, DESK_REM)
}
