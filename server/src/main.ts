import { readConfig } from './config.ts'
import { startServer, type RunningServer } from './server.ts'

/** Below the 30 seconds after which container platforms kill a process that was told to stop. */
const STOP_MS = 28_000

let server: RunningServer | undefined
let stopping = false
// Before the start, which may take long: the first process of a container is not ended by a signal that it does not listen to.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (server === undefined) process.exit(1)
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), STOP_MS).unref()
    void server.stop().then(() => process.exit(0))
  })
}

try {
  server = await startServer(readConfig(process.env))
  announce(server)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  if (error instanceof Error && error.cause !== undefined) console.error(error.cause)
  process.exit(1)
}

function announce({ url, firstKey }: RunningServer): void {
  const lines: string[] = []
  if (url !== undefined)
    lines.push(`  Fulfillment and Inventory API   ${url}/api/v1`, `  Reference                       ${url}/docs`)
  if (firstKey !== undefined) lines.push(`  Admin API key (shown only now)  ${firstKey}`)
  if (lines.length > 0) process.stdout.write(`\n${lines.join('\n')}\n\n`)
}
