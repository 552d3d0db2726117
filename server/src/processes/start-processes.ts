import type { Config } from '../config.ts'
import { createLog } from '../runtime/log.ts'
import { ProcessGroup } from './process-group.ts'
import { terminalOf } from './terminal.ts'

/** Starts `PROCESSES` server processes behind one port. SIGHUP restarts them one after the other. */
export async function startProcesses(config: Config) {
  const group = new ProcessGroup(config.processes, createLog(config.logLevel, { isShared: true }))
  const terminal = terminalOf()
  const starting = group.start()
  process.on('SIGHUP', () => {
    // SIGHUP also means that the terminal was closed. Then the program ends.
    if (terminal.wasClosed()) process.kill(process.pid, 'SIGTERM')
    else
      void starting.then(
        () => group.restart(),
        () => {},
      )
  })
  const { url, firstKey, dashboardLink } = await starting
  return { url, firstKey, dashboardLink, stop: () => group.stop() }
}
