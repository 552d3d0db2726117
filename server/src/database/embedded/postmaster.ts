import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const POLL_MS = 10
const FAST_SHUTDOWN_MS = 30_000
const IMMEDIATE_SHUTDOWN_MS = 10_000
const REMAINS_MS = 5_000

/** The main process of a running Postgres server. */
export interface Postmaster {
  pid: number
  port: number
  /** Status such as `starting`, `ready` or `stopping`; empty until the postmaster listens on its port. */
  status: string
}

/** The postmaster that runs on a data folder, regardless of which process started it. */
export function findPostmaster(directory: string): Postmaster | undefined {
  const lines = readLines(pidFile(directory))
  const pid = Number(lines[0])
  if (!(pid > 0) || !isPostgresIn(directory, pid)) return undefined
  return { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? '' }
}

/** Finds the postmaster. Waits while it is starting but not yet listening, and while it is stopping. */
export async function findSettledPostmaster(directory: string): Promise<Postmaster | undefined> {
  for (;;) {
    const postmaster = findPostmaster(directory)
    if (postmaster?.status === 'stopping') await stopPostmaster(directory, postmaster.pid)
    else if (postmaster?.status !== '') return postmaster
    await sleep(POLL_MS)
  }
}

/** Stops a server and rolls back open transactions. Returns when all of its processes have ended. */
export async function stopPostmaster(directory: string, pid: number): Promise<void> {
  const isGone = () => !isPostgresIn(directory, pid)
  if (await signalUntil(isGone, pid, 'SIGINT', FAST_SHUTDOWN_MS)) return
  if (await signalUntil(isGone, pid, 'SIGQUIT', IMMEDIATE_SHUTDOWN_MS)) return
  throw new Error(`Postgres (process ${pid}) does not stop`)
}

/** Prepares a folder for a new postmaster after the previous one was killed. */
export async function clearRemains(directory: string): Promise<void> {
  const pid = Number(readLines(pidFile(directory))[0])
  if (!pid) return
  // A session ends when it notices that its postmaster is dead. A session busy with a query does not notice, and its shared memory would
  // prevent the new postmaster from starting.
  const deadline = performance.now() + REMAINS_MS
  for (
    let remains = findPostgresIn(directory);
    remains.length && performance.now() < deadline;
    remains = findPostgresIn(directory)
  ) {
    remains.forEach((remaining) => signal(remaining, 'SIGKILL'))
    await sleep(POLL_MS)
  }
  // Postgres ignores the pid file of a dead process, but not if another process has reused the pid.
  await rm(pidFile(directory), { force: true })
}

function pidFile(directory: string): string {
  return join(directory, 'postmaster.pid')
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

function isPostgresIn(directory: string, pid: number): boolean {
  return process.platform === 'linux' ? isLinuxPostgresIn(realpathSync(directory), pid) : signal(pid, 0)
}

function findPostgresIn(directory: string): number[] {
  if (process.platform !== 'linux') return []
  const folder = realpathSync(directory)
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isLinuxPostgresIn(folder, pid, false))
}

// A pid alone proves nothing: the process may be a zombie, or another process that reused the pid. All Postgres processes have their data
// folder as working directory. In a container, even root may lack permission to read it.
function isLinuxPostgresIn(folder: string, pid: number, ifUnknown = true): boolean {
  const [, name, state] = readLinux(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))?.match(/\((.*)\) (\w)/s) ?? []
  if (name !== 'postgres' || state === 'Z' || state === 'X') return false
  const workingDirectory = readLinux(() => readlinkSync(`/proc/${pid}/cwd`))
  return workingDirectory === undefined ? ifUnknown : workingDirectory === folder
}

function readLinux<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}

async function signalUntil(isGone: () => boolean, pid: number, name: NodeJS.Signals, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  signal(pid, name)
  while (!isGone() && performance.now() < deadline) await sleep(POLL_MS)
  return isGone()
}

function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ESRCH') return false
    if (code === 'EPERM') return true
    throw error
  }
}
