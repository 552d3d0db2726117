import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { freePort } from '../support/free-port.ts'

const START_TIMEOUT_MS = 60_000
const POLL_MS = 5
/** Of all services of the benchmark. */
export const ENCRYPTION_KEY = 'encryption key of the benchmark'
const PROFILES = path.resolve('.data/bench-profiles')

/** A server process under test. */
export interface ServerProcess {
  pid: number
  port: number
  stop(): Promise<void>
  /** Ends the process without waiting for requests in progress. */
  kill(): Promise<void>
}

/** Starts the baseline: a hand-written server without features. */
export function startBare(databaseUrl: string): Promise<ServerProcess> {
  return start('./baseline/server.ts', { NODE_ENV: 'production', DATABASE_URL: databaseUrl })
}

export interface ServiceOptions {
  env?: Record<string, string>
  /** The folder of another version of the service, installed. */
  folder?: string | undefined
  /** Writes a CPU profile of the process to `.data/bench-profiles`. */
  profile?: boolean
  /** A command prefix that replaces itself with the command behind it, in the same process. */
  command?: string[]
}

/** Starts the service with all features, as in production. The log goes to /dev/null. The rate limit counts, but is too high to reach. */
export function startService(
  databaseUrl: string,
  { env = {}, folder, profile = false, command = [] }: ServiceOptions = {},
): Promise<ServerProcess> {
  return start(
    folder === undefined ? '../../server/bin/server.js' : pathToFileURL(path.resolve(folder, 'server/bin/server.js')).href,
    {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEY,
      RATE_LIMIT_PER_MINUTE: '1000000000',
      ...env,
    },
    [...command, process.execPath, ...(profile ? ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`] : [])],
  )
}

async function start(
  script: string,
  env: Record<string, string>,
  [file, ...args]: string[] = [process.execPath],
): Promise<ServerProcess> {
  mkdirSync(PROFILES, { recursive: true })
  const port = await freePort()
  const child = spawn(file as string, [...args, fileURLToPath(new URL(script, import.meta.url))], {
    env: { PATH: process.env.PATH, PORT: String(port), ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  // A worker accepts no requests.
  if (env.ROLE !== 'worker') await listening(child, port, script)
  return { pid: child.pid as number, port, stop: () => end(child, 'SIGTERM'), kill: () => end(child, 'SIGKILL') }
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

async function listening(child: ChildProcess, port: number, script: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode} while it started`)
    if (performance.now() > deadline) throw new Error(`${script} does not listen`)
    await delay(POLL_MS)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
