import type { Config } from '../config.ts'
import { createLog } from '../runtime/log.ts'
import type { Started } from './child.ts'
import { ProcessGroup } from './process-group.ts'
import { terminalOf } from './terminal.ts'

/**
 * Starts `PROCESSES` server processes behind one port. SIGHUP restarts them one after the other. If a process fails after the first one has created
 * a key, `announce` shows it all the same.
 */
export async function startProcesses(config: Config, announce: (first: Started) => void) {
  const group = new ProcessGroup(config.processes, createLog(config.logLevel, { isShared: true }))
  const terminal = terminalOf()
  let first: Started | undefined
  const starting = group.start((started) => (first = started))
  process.on('SIGHUP', () => {
    // SIGHUP also means that the terminal was closed. Then the program ends.
    if (terminal.wasClosed()) process.kill(process.pid, 'SIGTERM')
    else
      void starting.then(
        () => group.restart(),
        () => {},
      )
  })
  const { url, firstKey, dashboardLink } = await starting.catch((error: unknown) => {
    if (first?.firstKey !== undefined) announce(first)
    throw error
  })
  return { url, firstKey, dashboardLink, stop: () => group.stop() }
}
