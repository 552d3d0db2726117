import { platformReader } from './platform-reader.ts'
import type { Read } from './reader.ts'

/** What the worker says of a picture: the texts of its codes, that of the one nearest to its middle first. */
export type Decoded = { texts: string[] } | { error: string }

interface Worker {
  addEventListener(type: 'message', listener: (event: { data: ImageBitmap }) => void): void
  postMessage(decoded: Decoded): void
}

const worker = globalThis as unknown as Worker

let reader: Promise<Read> | undefined

/** Loaded with the first picture: not every browser needs ZXing. */
async function open(): Promise<Read> {
  return (await platformReader()) ?? (await import('./zxing-reader.ts')).zxingReader
}

async function decode(frame: ImageBitmap): Promise<Decoded> {
  try {
    const readings = await (await (reader ??= open()))(frame)
    return { texts: readings.toSorted((one, other) => one.distance - other.distance).map(({ text }) => text) }
  } catch (error) {
    return { error: String(error) }
  } finally {
    frame.close()
  }
}

// A worker has no origin to name.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
worker.addEventListener('message', ({ data }) => void decode(data).then((decoded) => worker.postMessage(decoded)))
