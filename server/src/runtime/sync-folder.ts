import { open } from 'node:fs/promises'

/** Puts a folder's entries onto the disk: a new name, or a rename, is there for good only when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
