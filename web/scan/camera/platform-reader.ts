import { distanceOf, type Read } from './reader.ts'

interface Detected {
  rawValue: string
  boundingBox: DOMRectReadOnly
}

interface PlatformDetector {
  new (options: { formats: readonly string[] }): { detect(frame: ImageBitmap): Promise<Detected[]> }
  getSupportedFormats(): Promise<string[]>
}

const FORMATS = ['ean_8', 'ean_13', 'upc_a', 'upc_e', 'code_128', 'code_39', 'itf', 'qr_code', 'data_matrix']

/** Reads codes with what the platform has for it, which is faster than any script; undefined where it has not all formats. */
export async function platformReader(): Promise<Read | undefined> {
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: PlatformDetector }
  const supported = new Set(await BarcodeDetector?.getSupportedFormats())
  if (BarcodeDetector === undefined || !FORMATS.every((format) => supported.has(format))) return undefined
  const detector = new BarcodeDetector({ formats: FORMATS })
  return async (frame) =>
    (await detector.detect(frame)).map(({ rawValue, boundingBox: { x, y, width, height } }) => ({
      text: rawValue,
      distance: distanceOf(frame, x + width / 2, y + height / 2),
    }))
}
