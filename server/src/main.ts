import { type Config, readConfig } from './config.ts'
import { isBuilt } from './http/pages/built-pages.ts'
import type { RunningServer } from './server.ts'

/** Container platforms kill a process 30 seconds after telling it to stop. A server stops within this time, unless it is too busy to. */
const STOP_MS = 28_000

const KEY_LOST = 'Nor could the first API key: `fulfillment keys create --tenant 1 --preset full_access` prints another one'

type Running = Pick<RunningServer, 'url' | 'firstKey' | 'dashboardLink' | 'stop'>

/** What a signal stops. Undefined while a start can be broken off. */
let running: Promise<Running> | undefined
let isStarted = false
let stopping = false
// Before the start, which may take long: in a container, the first process ignores signals that it has no handler for.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (running === undefined) process.exit(1)
    if (stopping) return
    stopping = true
    if (!isStarted) console.error('The server stops as soon as its start is complete')
    setTimeout(() => process.exit(1), STOP_MS).unref()
    running.then((server) => server.stop()).then(() => process.exit(0), fail)
  })
}

try {
  const [, , argument] = process.argv
  if (argument !== undefined)
    throw new Error(`${argument}: the server takes no arguments. Settings are environment variables, as in PORT=4000 npm start`)
  const config = readConfig(process.env)
  const starting = start(config)
  // Broken off, the start would leave the embedded Postgres running, or a key that nobody has seen.
  if (config.databaseUrl === undefined || config.processes > 1) running = starting
  const server = await starting
  running = starting
  isStarted = true
  announce(server)
} catch (error) {
  fail(error)
}

/** Loads only the modules that the process needs: a parent of several processes serves no requests. */
async function start(config: Config): Promise<Running> {
  if (config.processes === 1) return await (await import('./server.ts')).startServer(config)
  const { isPrimary } = await import('node:cluster')
  if (isPrimary) return await (await import('./processes/start-processes.ts')).startProcesses(config, announce)
  return await (await import('./processes/run-child.ts')).runChild(config)
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof Error && error.cause !== undefined) console.error(error.cause)
  process.exit(1)
}

function announce({ url, firstKey, dashboardLink }: Omit<Running, 'stop'>): void {
  const lines: string[] = []
  if (url !== undefined)
    lines.push(`  Fulfillment and Inventory API   ${url}/api/v1`, `  Reference                       ${url}/docs`)
  if (firstKey !== undefined) lines.push(`  Admin API key (shown only now)  ${firstKey}`)
  if (dashboardLink !== undefined)
    lines.push(
      isBuilt('dashboard')
        ? `  Dashboard (once, 15 minutes)    ${dashboardLink}`
        : '  Dashboard (not built)           run npm run build, then npx fulfillment dashboard-link',
    )
  if (lines.length === 0) return
  // A full disk is no reason to end the server, which runs: the log tells of it, too.
  process.stdout.on('error', ({ message }) => {
    const lost = firstKey === undefined ? '' : `. ${KEY_LOST}`
    console.error(`The addresses of the server could not be printed: ${message}${lost}`)
  })
  process.stdout.write(`\n${lines.join('\n')}\n\n`)
}
