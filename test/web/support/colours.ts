import type { Page } from 'playwright-core'

/** How many colours a screenshot has where the screen is. A screen that shows nothing has one; antialiased text alone has dozens. */
export async function coloursOf(page: Page, picture: Buffer): Promise<number> {
  return await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    const main = document.querySelector('main')?.getBoundingClientRect()
    if (context === null || main === undefined) return 0
    context.drawImage(bitmap, 0, 0)
    const { left, top } = main
    const { data } = context.getImageData(left, top, Math.min(main.right, bitmap.width) - left, bitmap.height - top)
    return new Set(new Uint32Array(data.buffer)).size
  }, picture.toString('base64'))
}
