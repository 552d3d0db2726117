import { randomBytes } from 'node:crypto'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { printLine } from '../progress.ts'

/** The destination of an export. */
export interface Output {
  /** Resolves when the text is written: a slow reader slows the export down. */
  write(text: string): Promise<void>
  /** Call when the export is complete. */
  finish(): Promise<void>
  /** Call when the export was aborted or failed. */
  discard(): Promise<void>
}

/** Opens standard output, or a file that gets its name only when it is complete. */
export async function openOutput(path: string | undefined): Promise<Output> {
  return path === undefined ? standardOutput() : await fileOutput(path)
}

/** True for the error of a closed pipe, as with `| head`. */
export function isBrokenPipe(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'
}

function standardOutput(): Output {
  let isBegun = false
  return {
    write: async (text) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
      await promise
      isBegun = true
    },
    finish: async () => {},
    discard: async () => {
      if (isBegun) printLine('The output is incomplete')
    },
  }
}

async function fileOutput(path: string): Promise<Output> {
  if (path === '') throw new Error('--output: names no file')
  const existing = await stat(path).catch(() => undefined)
  // A rename would replace a device such as /dev/null with a file.
  if (existing !== undefined && !existing.isFile()) throw new Error(`--output: ${path} is not a file`)
  const draft = `${path}.${randomBytes(4).toString('hex')}.partial`
  const file = await openDraft(draft, path)
  return {
    write: async (text) => {
      await file.writeFile(text)
    },
    finish: async () => {
      await file.sync()
      await file.close()
      await rename(draft, path)
    },
    discard: async () => {
      await file.close()
      await rm(draft, { force: true })
    },
  }
}

async function openDraft(draft: string, path: string): Promise<FileHandle> {
  try {
    return await open(draft, 'wx')
  } catch (error) {
    throw new Error(`--output: ${path} cannot be written: ${(error as Error).message}`, { cause: error })
  }
}
