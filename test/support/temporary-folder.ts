import { mkdtemp, realpath, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

const MEMORY = '/dev/shm'
const AMPLE_BYTES = 6_000_000_000

/** Whether files can be kept in memory. In a container that may be scarce. */
export async function isMemoryAmple(bytes: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return Math.min(bavail * bsize, process.availableMemory()) > bytes
}

/**
 * Makes an empty folder whose name begins with this. It is in memory where there is ample of it: making and dropping the databases of the tests
 * takes a third of the processor time there.
 */
export async function temporaryFolder(name: string): Promise<string> {
  return await mkdtemp(path.join((await isMemoryAmple(AMPLE_BYTES)) ? MEMORY : await realpath(tmpdir()), name))
}
