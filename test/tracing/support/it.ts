import { it as base } from '../../support/it.ts'
import { starting } from '../../support/starting.ts'
import { startCollector } from './collector.ts'
import { startTracedServer, type TracedServer } from './traced-server.ts'

/** Starts a server with these environment variables on the file's database. */
export type StartTracedServer = (env: Record<string, string>) => Promise<TracedServer>

/** `it` with `startCollector` and `startTracedServer`. What they start ends with the test. */
export const it = base
  .extend(
    'startCollector',
    starting(startCollector, (collector) => collector.close()),
  )
  .extend('startTracedServer', async ({ database, startProcess }): Promise<StartTracedServer> => {
    return (env) => startTracedServer(database, env, startProcess)
  })
