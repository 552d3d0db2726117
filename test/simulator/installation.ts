import { fileURLToPath } from 'node:url'
import { openDatabase, type Database } from '@fulfillment/server/database/database.ts'
import { startDatabaseProxy, type DatabaseProxy } from '../faults/support/database-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import type { Disk } from './faults/disk.ts'
import { startNetwork, type Network } from './faults/network.ts'
import { startReceivers, type Receivers } from './receivers.ts'
import type { Random } from './random.ts'

const MAX_STARTS = 20
const MOVED_CLOCK = fileURLToPath(new URL('../support/moved-clock.ts', import.meta.url))

/** A process of the service, with a network between it and its clients, and another one between it and Postgres. */
export interface Server {
  process: ServerProcess
  network: Network
  database: DatabaseProxy
  start(): Promise<void>
}

/** Several servers and workers on one database. Without workers, each server is one too. */
export interface Installation {
  servers: Server[]
  workers: Server[]
  receivers: Receivers
  /** A connection of the simulator's own: it makes tenants, and looks whether all is quiet. */
  db: Database
  /** The folder of an embedded Postgres that may be killed and frozen. */
  dataDir: string | undefined
  /** The disk of that folder, if it can be filled. */
  disk: Disk | undefined
  stop(): Promise<void>
}

export interface InstallationOptions {
  databaseUrl: string
  dataDir?: string | undefined
  disk?: Disk | undefined
  servers: number
  workers?: number
}

export async function startInstallation(
  { databaseUrl, dataDir, disk, servers: count, workers: workerCount = 0 }: InstallationOptions,
  random: Random,
): Promise<Installation> {
  const servers: Server[] = []
  const workers: Server[] = []
  const role = workerCount === 0 ? 'all' : 'api'
  for (let index = 0; index < count; index++) servers.push(await startServer(databaseUrl, random, role))
  for (let index = 0; index < workerCount; index++) workers.push(await startServer(databaseUrl, random, 'worker'))
  const receivers = await startReceivers(random)
  const db = openDatabase(databaseUrl, { exclusiveConnections: 2, pipelinedConnections: 1 })
  return {
    servers,
    workers,
    receivers,
    db,
    dataDir,
    disk,
    stop: async () => {
      await Promise.all(
        [...servers, ...workers].map(async ({ process, network, database }) => {
          await process.end('SIGKILL')
          await network.close()
          await database.close()
        }),
      )
      await receivers.close()
      await db.close()
    },
  }
}

async function startServer(databaseUrl: string, random: Random, role: 'all' | 'api' | 'worker'): Promise<Server> {
  const port = String(await freePort())
  const database = await startDatabaseProxy(databaseUrl)
  const start = (): Promise<ServerProcess> =>
    startServerProcess({
      ROLE: role,
      // A worker has no other one.
      [role === 'worker' ? 'MONITORING_PORT' : 'PORT']: port,
      DATABASE_URL: database.url,
      LOG_LEVEL: 'warn',
      NODE_OPTIONS: `--import ${MOVED_CLOCK}`,
    })
  const server: Server = {
    process: await start(),
    network: await startNetwork(`http://127.0.0.1:${port}`, random),
    database,
    start: async () => {
      // A server does not start while Postgres recovers; whoever runs it starts it again.
      for (let attempt = 1; ; attempt++) {
        try {
          server.process = await start()
          return
        } catch (error) {
          if (attempt === MAX_STARTS) throw error
        }
      }
    },
  }
  return server
}
