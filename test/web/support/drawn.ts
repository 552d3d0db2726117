import type { Locator } from 'playwright-core'

/** The characters of a line from left to right, as they are drawn. */
export const drawn = (line: Locator): Promise<string> =>
  line.evaluate((element) => {
    const characters: { left: number; text: string }[] = []
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    const range = document.createRange()
    while (texts.nextNode() !== null)
      for (let at = 0; at < (texts.currentNode.nodeValue?.length ?? 0); at++) {
        range.setStart(texts.currentNode, at)
        range.setEnd(texts.currentNode, at + 1)
        const { left, width } = range.getBoundingClientRect()
        if (width > 0) characters.push({ left, text: range.toString() })
      }
    return characters
      .toSorted((one, other) => one.left - other.left)
      .map(({ text }) => text)
      .join('')
  })
