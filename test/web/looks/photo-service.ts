import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Call } from './photo-data.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MAIN = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url))
const COMMAND = fileURLToPath(new URL('../../../server/bin/fulfillment.js', import.meta.url))
const PORT = 4_199
const START_MS = 60_000

/** A running service with a database of its own. */
export interface PhotoService {
  url: string
  key: string
  call: Call
  /** Stops it, and deletes the database. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts the service as `npm start` does, on an empty database. */
export async function startPhotoService(): Promise<PhotoService> {
  return await start((folder) => ({ program: [MAIN], env: { DATA_DIR: folder, RATE_LIMIT_PER_MINUTE: '0' } }))
}

/** Starts a demo that is at work. */
export async function startDemo(): Promise<PhotoService> {
  return await start((folder) => ({ program: [COMMAND, 'demo', '--rate', '30', '--data-dir', folder], env: {} }))
}

interface Started {
  program: string[]
  env: Record<string, string>
}

/** Starts a program that serves the API, and waits until it has printed its key. */
async function start(started: (folder: string) => Started): Promise<PhotoService> {
  const folder = await temporaryFolder('screenshots-')
  const { program, env } = started(folder)
  const options = { ...process.env, ...env, PORT: String(PORT), LOG_LEVEL: 'error' }
  const child = spawn(process.execPath, program, { env: options, stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      const ended = once(child, 'close')
      child.kill('SIGINT')
      await ended
    }
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const late = setTimeout(() => child.kill('SIGKILL'), START_MS)
    const key = await printedKey(child.stdout)
    clearTimeout(late)
    const url = `http://127.0.0.1:${PORT}`
    return { url, key, call: (method, to, body) => send(`${url}/api/v1${to}`, key, method, body), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function printedKey(output: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const key = /service_live_[\w-]+(?=\s)/.exec(text)?.[0]
    if (key !== undefined) return key
  }
  throw new Error(`The service did not start: ${text}`)
}

async function send(url: string, key: string, method: string, body: unknown): ReturnType<Call> {
  const response = await fetch(url, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const envelope = (await response.json()) as { data: Awaited<ReturnType<Call>>; error?: unknown }
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(envelope.error)}`)
  return envelope.data
}
