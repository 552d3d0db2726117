import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import type { ServerProcess } from '../../support/server-process.ts'
import { send, type ServiceResponse } from '../../support/service.ts'
import type { TestDatabase } from '../../support/test-database.ts'

/** A server that sends spans, in its own process, and a tenant. */
export interface TracedServer {
  process: ServerProcess
  tenantId: number
  keyId: number
  key: string
  request(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ServiceResponse>
  /** Lines of the log, once the process has ended. */
  logLines(): Record<string, unknown>[]
}

/** Starts a server with `start` and these environment variables. By default, it sends spans as JSON, every 50 ms. */
export async function startTracedServer(
  { url, db }: TestDatabase,
  env: Record<string, string>,
  start: (env: Record<string, string>) => Promise<ServerProcess>,
): Promise<TracedServer> {
  const process = await start({
    DATABASE_URL: url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    ...env,
  })
  const { id: tenantId } = await createTenant(db, 'traced tenant')
  const { id: keyId, key } = await insertApiKey(db, tenantId, 'live', { name: 'key', scopes: ['admin'] })
  return {
    process,
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
  }
}
