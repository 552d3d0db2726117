import type { Page } from 'playwright-core'

/** How many colours a screenshot has where the screen is, counted up to `most`. A screen that shows nothing has one; antialiased text alone has dozens. */
export async function coloursOf(page: Page, picture: Buffer, most: number): Promise<number> {
  return await page.evaluate(
    async ({ base64, most }) => {
      const text = atob(base64)
      const bytes = new Uint8Array(text.length)
      for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
      const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
      const main = document.querySelector('main')?.getBoundingClientRect()
      if (context === null || main === undefined) return 0
      context.drawImage(bitmap, 0, 0)
      const { left, top } = main
      const { data } = context.getImageData(left, top, Math.min(main.right, bitmap.width) - left, bitmap.height - top)
      const colours = new Set<number>()
      for (const colour of new Uint32Array(data.buffer)) if (colours.size < most) colours.add(colour)
      return colours.size
    },
    { base64: picture.toString('base64'), most },
  )
}
