import { readConfig } from './config.ts'
import { startServer, type RunningServer } from './server.ts'

/** Below the 30 seconds after which container platforms kill a process that was told to stop. */
const STOP_MS = 28_000

try {
  const server = await startServer(readConfig(process.env))
  announce(server)
  let stopping = false
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      setTimeout(() => process.exit(1), STOP_MS).unref()
      void server.stop().then(() => process.exit(0))
    })
  }
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
