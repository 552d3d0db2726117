import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader'
import wasmUrl from 'zxing-wasm/reader/zxing_reader.wasm?url'
import { distanceOf, type Read } from './reader.ts'

const OPTIONS: ReaderOptions = {
  formats: ['EAN8', 'EAN13', 'UPCA', 'UPCE', 'Code128', 'Code39', 'ITF', 'QRCode', 'DataMatrix'],
  // As a scanner sends it: not the readable form of GS1 codes.
  textMode: 'Plain',
  maxNumberOfSymbols: 8,
}

// Without it the package fetches it from another host.
prepareZXingModule({ overrides: { locateFile: () => wasmUrl } })

/** Reads codes with ZXing, in WebAssembly. */
export const zxingReader: Read = async (frame) => {
  const { width, height } = frame
  const canvas = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (canvas === null) throw new Error('This browser cannot read pictures')
  canvas.drawImage(frame, 0, 0)
  const codes = await readBarcodes(canvas.getImageData(0, 0, width, height), OPTIONS)
  return codes.map(({ text, position: { topLeft, bottomRight } }) => ({
    text,
    distance: distanceOf(frame, (topLeft.x + bottomRight.x) / 2, (topLeft.y + bottomRight.y) / 2),
  }))
}
