import { rename, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const WIDTH = 640
const HEIGHT = 480
/** At 10 frames a second: longer than a code must be out of sight to be a new scan. */
const FRAMES = 20
/** The part of the picture, or of its share of it, that a label fills. */
const FILLED = 0.85
/** How far the camera is from the middle of several labels. */
const SHIFT = 60

/** Arguments of a browser whose camera shows a film. */
export const filmedBy = (file: string): string[] => [
  '--use-fake-device-for-media-stream',
  // Without it the headless browser refuses every camera. Whether a site may use it is the test's decision all the same.
  '--use-fake-ui-for-media-stream',
  `--use-file-for-fake-video-capture=${file}`,
]

/**
 * Writes the film of a fake camera: a label in the middle of white, or nothing. Two labels are one above the other, and each in
 * turn is the nearest to the middle. The camera reads it when it is opened. `studio` is an empty page.
 */
export async function film(studio: Page, file: string, labels: readonly Buffer[]): Promise<void> {
  const urls = labels.map((png) => `data:image/png;base64,${png.toString('base64')}`)
  const frames: Buffer[] = []
  for (const shift of labels.length > 1 ? [SHIFT, -SHIFT] : [0]) {
    const drawing = await studio.evaluate(drawn, { urls, width: WIDTH, height: HEIGHT, filled: FILLED, shift })
    const frame = [Buffer.from('FRAME\n'), Buffer.from(drawing, 'base64'), Buffer.alloc((WIDTH * HEIGHT) / 2, 128)]
    frames.push(...Array.from({ length: FRAMES }, () => frame).flat())
  }
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`)
  await writeFile(`${file}.part`, Buffer.concat([head, ...frames]))
  await rename(`${file}.part`, file)
}

/** Brightness of each pixel, in Base64: a list of as many numbers takes the debugging protocol a second. Runs in the page. */
async function drawn(shot: { urls: string[]; width: number; height: number; filled: number; shift: number }): Promise<string> {
  const { urls, width, height, filled, shift } = shot
  const context = new OffscreenCanvas(width, height).getContext('2d')
  if (context === null) throw new Error('No canvas')
  context.fillStyle = 'white'
  context.fillRect(0, 0, width, height)
  const share = height / urls.length
  for (const [index, url] of urls.entries()) {
    const label = await createImageBitmap(await (await fetch(url)).blob())
    const scale = Math.min((filled * width) / label.width, (filled * share) / label.height)
    const [wide, high] = [label.width * scale, label.height * scale]
    context.drawImage(label, (width - wide) / 2, share * (index + 0.5) + shift - high / 2, wide, high)
  }
  const { data } = context.getImageData(0, 0, width, height)
  const luma = Uint8Array.from({ length: width * height }, (_, pixel) => data[pixel * 4 + 1] ?? 0)
  return await new Promise((resolve) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^.*,/, '')))
    reader.readAsDataURL(new Blob([luma]))
  })
}
