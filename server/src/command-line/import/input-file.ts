import { open } from 'node:fs/promises'
import { addAbortSignal, pipeline, Transform, type Readable } from 'node:stream'

/** An open text file. */
export interface InputFile {
  text: Readable
  /** In bytes; 0 when it is unknown. */
  size: number
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
  bytes.once('error', (error) => text.destroy(cannotBeRead(name, error)))
  // The reader of `text` gets the error.
  pipeline(addAbortSignal(signal, bytes), text, () => {})
  return { text, size }
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
    throw cannotBeRead(path, error as Error)
  }
}

function cannotBeRead(name: string, cause: Error): Error {
  return new Error(`${name} cannot be read: ${cause.message}`, { cause })
}
