import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

/** A server in a process of its own, as `npm start` makes it. */
export interface ServerProcess {
  child: ChildProcess
  /** Of the API; undefined for a worker. */
  url: string
  /** Everything that the process has written so far. */
  output(): string
  /** Sends a signal and waits until the process has ended; returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts the server with these settings, on a free port, and waits until it answers. */
export async function startServerProcess(env: Record<string, string>): Promise<ServerProcess> {
  const port = Number(env.PORT ?? (await freePort()))
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      ENCRYPTION_KEY: 'encryption key of the tests',
      RATE_LIMIT_PER_MINUTE: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk.toString()))
  child.stderr?.on('data', (chunk) => (text += chunk.toString()))
  const url = `http://127.0.0.1:${env.MONITORING_PORT ?? port}`
  await untilReady(url, child, () => text)
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    output: () => text,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
      return child.exitCode
    },
  }
}

async function untilReady(url: string, child: ChildProcess, output: () => string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    const response = await fetch(`${url}/readyz`).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.status === 200) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`the server did not start: ${output()}`)
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
