import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPrograms } from './postgres-programs.ts'
import { findPostmaster } from './postmaster.ts'

const POLL_MS = 5
const PORT_ATTEMPTS = 5
const LOG_TAIL_LINES = 5

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  // For moving tenants to another shard.
  wal_level: 'logical',
  // Queries take a few milliseconds: compiling them costs more than it saves.
  jit: 'off',
  // The client gets the errors of its statements. Logging them too would write customers' data to a file that only grows.
  log_min_messages: 'log',
  log_checkpoints: 'off',
}

/** Options for starting a postmaster. */
export interface PostmasterOptions {
  directory: string
  programs: PostgresPrograms
  settings: Record<string, string>
  logFile: string
}

/**
 * The ports to try, the preferred one first.
 *
 * All are outside the ephemeral range. While Postgres is down, an outgoing connection could take an ephemeral port. It could even be a
 * connection of this process's own pool, which would then connect to itself.
 */
export function choosePorts(preferred: number | undefined): number[] {
  const others = Array.from({ length: PORT_ATTEMPTS }, () => randomInt(15_000, 32_000))
  return preferred ? [preferred, ...others] : others
}

/** Starts a postmaster on the first free port of the list, and returns that port. */
export async function startPostmaster(options: PostmasterOptions, ports: number[]): Promise<number> {
  for (const port of ports.slice(0, -1)) {
    try {
      return await start(options, port)
    } catch (error) {
      if (await isFree(port)) throw error
    }
  }
  return await start(options, ports.at(-1)!)
}

/** The last lines that Postgres wrote to its log. */
export async function readLogTail(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8')
  return text.trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n')
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, SETTINGS.listen_addresses), 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  } finally {
    server.close()
  }
}

async function start(options: PostmasterOptions, port: number): Promise<number> {
  const child = await launch(options, port)
  while (child.exitCode === null && child.signalCode === null) {
    const postmaster = findPostmaster(options.directory)
    if (postmaster?.pid === child.pid && postmaster?.status) return port
    await sleep(POLL_MS)
  }
  throw new Error(`Postgres does not start:\n${await readLogTail(options.logFile)}`)
}

// The postmaster gets its own session: Ctrl-C then stops only this process, which still needs the database to finish its work. It logs to a
// file, because a pipe would close when this process ends.
async function launch({ directory, programs, settings, logFile }: PostmasterOptions, port: number): Promise<ChildProcess> {
  const options = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, env } = programs.command('postgres', ['-D', directory, '-p', String(port), ...options])
  const log = await open(logFile, 'a', 0o600)
  try {
    const child = spawn(file, args, { env, cwd: '/', detached: true, stdio: ['ignore', log.fd, log.fd] })
    await once(child, 'spawn')
    child.unref()
    return child
  } finally {
    await log.close()
  }
}
