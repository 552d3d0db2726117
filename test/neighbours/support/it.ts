import { it as base } from '../../support/it.ts'
import { startMonitoredServer } from '../../support/monitored-server.ts'

/** `it` with `server`, one per test file: a process on the database of `service` that reports how long it blocked its event loop. */
export const it = base.extend('server', { scope: 'file' }, async ({ service }, { onCleanup }) => {
  const server = await startMonitoredServer({ DATABASE_URL: service.databaseUrl, ROLE: 'api' })
  onCleanup(async () => void (await server.end('SIGKILL')))
  return server
})
