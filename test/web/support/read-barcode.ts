import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Locator } from 'playwright-core'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

const WASM = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'))
const { buffer: wasmBinary } = await readFile(WASM)

// Without it the package fetches it from another host.
prepareZXingModule({ overrides: { wasmBinary } })

/** What a scanner reads from an element as it is drawn on the screen: the format and the text. */
export async function readBarcode(element: Locator): Promise<[format: string, text: string]> {
  const picture = await element.screenshot()
  const [found] = await readBarcodes(new Uint8Array(picture), { tryHarder: true })
  return [found?.format ?? 'nothing', found?.text ?? '']
}
