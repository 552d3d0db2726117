import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'

const SIZE_MB = 1_024
const CHUNK = Buffer.alloc(4 * 1_024 * 1_024)

/** Settings by which the write-ahead log leaves room on the disk. */
export const SMALL_LOG = { max_wal_size: '256MB', min_wal_size: '80MB' }

/** A small disk of its own for a folder. */
export interface Disk {
  /** Fills it up to the last byte. */
  fill(): void
  /** Makes room again. */
  clear(): void
  unmount(): void
}

/** Mounts a file system in memory on the folder. Throws where that is not allowed: root alone may, and on Linux. */
export function mountDisk(folder: string): Disk {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=755`, 'simulator', folder], { stdio: 'pipe' })
  const ballast = path.join(folder, 'ballast')
  return {
    fill: () => {
      const file = openSync(ballast, 'w')
      try {
        for (let size = CHUNK.length; size >= 1; size = Math.floor(size / 2)) while (write(file, size)) {}
      } finally {
        closeSync(file)
      }
    },
    clear: () => rmSync(ballast, { force: true }),
    unmount: () => void execFileSync('umount', [folder], { stdio: 'pipe' }),
  }
}

/** False once the disk has no room for so much. */
function write(file: number, size: number): boolean {
  try {
    return writeSync(file, CHUNK, 0, size) === size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}
