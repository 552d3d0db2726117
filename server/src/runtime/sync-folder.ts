import { open } from 'node:fs/promises'

/** Flushes a folder to the disk. A new file or a rename survives a crash only when its folder was flushed. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
