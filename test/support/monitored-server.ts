import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { startServerProcess, type ServerProcess } from './server-process.ts'

const MONITOR = fileURLToPath(new URL('loop-monitor.ts', import.meta.url))

/** A server process that reports how long it blocked its event loop. */
export interface MonitoredServer extends ServerProcess {
  /** The longest round of the event loop while `work` ran, in milliseconds of processor time. */
  longestRound(work: () => Promise<unknown>): Promise<number>
}

export async function startMonitoredServer(env: Record<string, string>): Promise<MonitoredServer> {
  const server = await startServerProcess({ LOG_LEVEL: 'silent', ...env, NODE_OPTIONS: `--import ${MONITOR}` })
  const read = async (): Promise<number> => {
    const before = server.output().length
    server.child.kill('SIGUSR2')
    return await vi.waitFor(
      () => {
        const printed = /longest round: (\S+) ms\n/.exec(server.output().slice(before))
        if (printed === null) throw new Error('nothing printed yet')
        return Number(printed[1])
      },
      { timeout: 60_000 },
    )
  }
  return {
    ...server,
    longestRound: async (work) => {
      await read()
      await work()
      return await read()
    },
  }
}
