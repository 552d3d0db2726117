import { open } from 'node:fs/promises'
import { addAbortSignal, pipeline, Transform, type Readable } from 'node:stream'

/** An open text file. */
export interface InputFile {
  text: Readable
  /** The part of the file read so far, from 0 to 1; undefined when the size is unknown. */
  share(): number | undefined
}

/**
 * Opens a file, or standard input for `-`, as UTF-8 text without a byte order mark. Reading fails at bytes that are not UTF-8, and when the
 * signal aborts.
 */
export async function openInput(path: string, signal: AbortSignal): Promise<InputFile> {
  const name = path === '-' ? 'Standard input' : path
  const { bytes, size } = path === '-' ? { bytes: process.stdin as Readable, size: 0 } : await openFile(path)
  let read = 0
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new Error(`${name} is not UTF-8, somewhere after byte ${read}: save it as "CSV UTF-8", or convert it with iconv`)
    }
  }
  const text = new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      attempt(done, () => {
        const decoded = decode(chunk)
        read += chunk.length
        return decoded
      })
    },
    flush(done) {
      attempt(done, () => decode())
    },
  })
  // The reader of `text` gets the error.
  pipeline(addAbortSignal(signal, bytes), text, () => {})
  return { text, share: () => (size > 0 ? Math.min(read / size, 1) : undefined) }
}

function attempt(done: (error?: Error | null, text?: string) => void, work: () => string): void {
  try {
    const text = work()
    // An empty chunk would end the reader of an object stream in some versions of Node, so none is passed on.
    if (text === '') done()
    else done(null, text)
  } catch (error) {
    done(error as Error)
  }
}

async function openFile(path: string): Promise<{ bytes: Readable; size: number }> {
  try {
    const file = await open(path)
    const { size } = await file.stat()
    return { bytes: file.createReadStream(), size }
  } catch (error) {
    throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
