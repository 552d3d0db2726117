import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The postmaster of the embedded Postgres in this data folder. */
export function postmasterOf(dataDir: string): number {
  return Number(readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
}

/** Sends a signal to all processes of the embedded Postgres. */
export function signalPostgres(dataDir: string, signal: NodeJS.Signals): void {
  const postmaster = postmasterOf(dataDir)
  // The postmaster first: stopped, it starts no more processes that the list would lack.
  process.kill(postmaster, signal)
  for (const pid of childrenOf(postmaster)) signalIfThere(pid, signal)
}

/** A session or a worker may end between being listed and being signalled. */
function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The processes that this one has started. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent)
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(/\) \w (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1])
  } catch {
    return undefined
  }
}
