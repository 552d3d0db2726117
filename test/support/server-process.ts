import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { until } from './receiver.ts'

const MAIN = fileURLToPath(new URL('../../server/bin/server.js', import.meta.url))

/** A server in its own process, started as by `npm start`. */
export interface ServerProcess {
  child: ChildProcess
  /** URL of the API. */
  url: string
  /** The output of the process so far. */
  output(): string
  /** Waits until the output matches: it can arrive after the response to a request. */
  printed(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal and waits until the process has ended; returns its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts the server with these settings, on a free port, and waits until it is ready. `main` is the main file of another copy of the server, `stdout` a file
 * for its standard output.
 */
export async function startServerProcess(
  env: Record<string, string>,
  main = MAIN,
  stdout: 'pipe' | number = 'pipe',
): Promise<ServerProcess> {
  const port = Number(env.PORT ?? (await freePort()))
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      ENCRYPTION_KEY: 'encryption key of the tests',
      RATE_LIMIT_PER_MINUTE: '0',
      ...env,
    },
    stdio: ['ignore', stdout, 'pipe'],
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
    printed: async (pattern) => {
      await until(
        () => pattern.test(text),
        () => `${pattern} in: ${text}`,
      )
      return pattern.exec(text) as RegExpExecArray
    },
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
