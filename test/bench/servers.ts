import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { createServer, connect, type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const START_TIMEOUT_MS = 60_000
const POLL_MS = 5
const PROFILES = path.resolve('.data/bench-profiles')

/** A server under test: a process of its own. */
export interface ServerProcess {
  pid: number
  port: number
  stop(): Promise<void>
  /** Ends it without waiting for what is under way. */
  kill(): Promise<void>
}

/** The hand-written server without features. */
export function startBare(databaseUrl: string): Promise<ServerProcess> {
  return start('./baseline/server.ts', { NODE_ENV: 'production', DATABASE_URL: databaseUrl })
}

export interface ServiceOptions {
  env?: Record<string, string>
  /** Writes a CPU profile of the process to `.data/bench-profiles`. */
  profile?: boolean
  /** A command that runs the one behind it in its own process. */
  command?: string[]
}

/** Ours with everything on, as in production: the log goes to /dev/null, the rate limit counts but is too high to be met. */
export function startService(
  databaseUrl: string,
  { env = {}, profile = false, command = [] }: ServiceOptions = {},
): Promise<ServerProcess> {
  return start(
    '../../server/bin/server.js',
    {
      NODE_ENV: 'production',
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEY: 'encryption key of the benchmark',
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
  // A worker answers nobody.
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

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
