import { rename, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const WIDTH = 640
const HEIGHT = 480
const FRAMES = 10
/** The part of the picture that a label fills. */
const FILLED = 0.85

/** Arguments of a browser whose camera shows a film. */
export const filmedBy = (file: string): string[] => [
  '--use-fake-device-for-media-stream',
  // Without it the headless browser refuses every camera. Whether a site may use it is the test's decision all the same.
  '--use-fake-ui-for-media-stream',
  `--use-file-for-fake-video-capture=${file}`,
]

/** Writes the film of a fake camera: a label in the middle of white, or nothing. The camera reads it when it is opened. `studio` is an empty page. */
export async function film(studio: Page, file: string, label: Buffer | undefined): Promise<void> {
  const drawing = await studio.evaluate(drawn, { url: urlOf(label), width: WIDTH, height: HEIGHT, filled: FILLED })
  const luma = Buffer.from(drawing, 'base64')
  const frame = Buffer.concat([Buffer.from('FRAME\n'), luma, Buffer.alloc((WIDTH * HEIGHT) / 2, 128)])
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420jpeg\n`)
  await writeFile(`${file}.part`, Buffer.concat([head, ...Array.from({ length: FRAMES }, () => frame)]))
  await rename(`${file}.part`, file)
}

const urlOf = (png: Buffer | undefined): string => (png === undefined ? '' : `data:image/png;base64,${png.toString('base64')}`)

/** Brightness of each pixel, in Base64: a list of as many numbers takes the debugging protocol a second. Runs in the page. */
async function drawn(shot: { url: string; width: number; height: number; filled: number }): Promise<string> {
  const { url, width, height, filled } = shot
  const context = new OffscreenCanvas(width, height).getContext('2d')
  if (context === null) throw new Error('No canvas')
  context.fillStyle = 'white'
  context.fillRect(0, 0, width, height)
  if (url !== '') {
    const label = await createImageBitmap(await (await fetch(url)).blob())
    const scale = Math.min((filled * width) / label.width, (filled * height) / label.height)
    const [wide, high] = [label.width * scale, label.height * scale]
    context.drawImage(label, (width - wide) / 2, (height - high) / 2, wide, high)
  }
  const { data } = context.getImageData(0, 0, width, height)
  const luma = Uint8Array.from({ length: width * height }, (_, pixel) => data[pixel * 4 + 1] ?? 0)
  return await new Promise((resolve) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^.*,/, '')))
    reader.readAsDataURL(new Blob([luma]))
  })
}
