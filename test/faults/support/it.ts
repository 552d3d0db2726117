import { it as base } from '../../support/it.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { starting } from '../../support/starting.ts'
import { startDatabaseProxy } from './database-proxy.ts'
import { startLoad } from './loaded-tenant.ts'
import { startPostgres, startStandby } from './postgres-servers.ts'

/**
 * The `it` of tests whose servers are killed, frozen and replaced. Unlike those of the other tests, they run until the end of the file:
 *
 * - `startPostgres`, `startStandby`: start a Postgres server, or a streaming replica of one.
 * - `startProxy`: starts a proxy in front of a database.
 * - `startLastingProcess`: starts a server in its own process.
 * - `startLoad`: starts clients that make all kinds of writes, as a tenant whose receiver gets every event.
 */
export const it = base
  .extend(
    'startPostgres',
    { scope: 'file' },
    starting(startPostgres, (server) => server.remove()),
  )
  .extend(
    'startStandby',
    { scope: 'file' },
    starting(startStandby, (server) => server.remove()),
  )
  .extend(
    'startProxy',
    { scope: 'file' },
    starting(startDatabaseProxy, (proxy) => proxy.close()),
  )
  .extend(
    'startLastingProcess',
    { scope: 'file' },
    starting(startServerProcess, (server) => server.end('SIGKILL')),
  )
  .extend(
    'startLoad',
    { scope: 'file' },
    starting(startLoad, (loaded) => loaded.stop()),
  )
