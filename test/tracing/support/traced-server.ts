import { inject } from 'vitest'
import { insertApiKey } from '../../../server/src/api-keys/index.ts'
import { openDatabase, type Database } from '../../../server/src/database/database.ts'
import { createTenant } from '../../../server/src/tenants/index.ts'
import { startServerProcess, type ServerProcess } from '../../support/server-process.ts'
import { send, type Answer } from '../../support/service.ts'
import { cloneDatabase } from '../../support/test-database.ts'

/** A server in a process of its own that sends its spans somewhere, and a tenant of it. */
export interface TracedServer {
  process: ServerProcess
  db: Database
  tenantId: number
  keyId: number
  key: string
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Lines of the log, once the process has ended. */
  logLines(): Record<string, unknown>[]
  stop(): Promise<void>
}

/** Starts a server with these settings. It sends spans as JSON, every 50 ms. */
export async function startTracedServer(env: Record<string, string>): Promise<TracedServer> {
  const database = await cloneDatabase(inject('postgresUrl'))
  const db = openDatabase(database.url, { maxConnections: 2, pipelinedConnections: 1 })
  const process = await startServerProcess({
    DATABASE_URL: database.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  })
  const { id: tenantId } = await createTenant(db, 'traced tenant')
  const { id: keyId, key } = await insertApiKey(db, tenantId, 'live', { name: 'key', scopes: ['admin'] })
  return {
    process,
    db,
    tenantId,
    keyId,
    key,
    request: (method, path, body, headers = {}) => send(`${process.url}${path}`, method, body, { key, headers }),
    logLines: () =>
      process
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line)),
    stop: async () => {
      await process.end('SIGTERM')
      await db.close()
      await database.drop()
    },
  }
}
