import { it as base } from '../../support/it.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { childrenOf } from '../../faults/support/postgres-processes.ts'

/** A server of several processes. */
export interface Group extends ServerProcess {
  /** The ids of its server processes. */
  processIds(): number[]
  /** The values of a series in `/metrics`. */
  metric(series: string | RegExp): Promise<number[]>
}

/** `it` with `startGroup`: starts a server of two processes on the database of `service`, which ends with the test. */
export const it = base.extend('startGroup', async ({ service, startProcess }) => {
  return async (env: Record<string, string> = {}): Promise<Group> => {
    const database: Record<string, string> = env.DATA_DIR === undefined ? { DATABASE_URL: service.databaseUrl } : {}
    const server = await startProcess({ PROCESSES: '2', LOG_LEVEL: 'info', ...database, ...env })
    if (env.ROLE !== 'worker') await server.printed(/Reference/)
    const monitoringUrl = env.MONITORING_PORT === undefined ? server.url : `http://127.0.0.1:${env.MONITORING_PORT}`
    return {
      ...server,
      processIds: () => childrenOf(server.child.pid as number),
      metric: async (series) => {
        const text = await (await fetch(`${monitoringUrl}/metrics`)).text()
        const lines = text.split('\n').filter((line) => !line.startsWith('#'))
        const matching = lines.filter((line) => (typeof series === 'string' ? line.startsWith(`${series} `) : series.test(line)))
        return matching.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
      },
    }
  }
})
