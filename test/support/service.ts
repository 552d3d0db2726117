import { request, type Dispatcher } from 'undici'
import { inject } from 'vitest'
import { insertApiKey } from '@fulfillment/server/domain/api-keys/index.ts'
import { readConfig, type Config } from '@fulfillment/server/config.ts'
import type { Scope } from '@fulfillment/server/procedures/context.ts'
import { openDatabase, type Database } from '@fulfillment/server/database/database.ts'
import { startServer } from '@fulfillment/server/server.ts'
import { createTenant } from '@fulfillment/server/domain/tenants/index.ts'
import { assertFitsDocument } from './document.ts'
import { cloneDatabase } from './test-database.ts'

/** A response of the service. */
export interface ServiceResponse {
  status: number
  headers: Headers
  // Tests read whatever fields they expect.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface RequestOptions {
  key?: string
  headers?: Record<string, string>
}

/** A tenant with an admin key. */
export interface TestTenant {
  /** URL of its server. */
  url: string
  id: number
  key: string
  /** Sends JSON to a path below /api/v1 and checks that the response fits the OpenAPI document. */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<ServiceResponse>
  /** Another key of the tenant. */
  createKey(options?: { scopes?: Scope[]; expires_at?: string; ip_whitelist?: string[]; name?: string }): Promise<string>
}

/** The real server and its database. */
export interface TestService {
  url: string
  databaseUrl: string
  db: Database
  newTenant(): Promise<TestTenant>
  /** Stops the server and leaves its database. */
  stopServer(): Promise<void>
  stop(): Promise<void>
}

/** Starts the server as `npm start` does, on a copy of the migrated template unless `settings` names a database. By default, the rate limit is off. */
export async function startService(settings: Partial<Config> = {}): Promise<TestService> {
  const own = settings.databaseUrl === undefined ? await cloneDatabase(inject('postgresUrl')) : undefined
  const databaseUrl = settings.databaseUrl ?? own?.url ?? ''
  const server = await startServer({
    ...readConfig({ PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ENCRYPTION_KEY: 'encryption key of the tests' }),
    ...settings,
    databaseUrl,
  })
  const url = server.url ?? ''
  const db = openDatabase(databaseUrl, { exclusiveConnections: 2, pipelinedConnections: 1 })
  const stop = async (): Promise<void> => {
    await server.stop()
    await db.close()
    await own?.drop()
  }
  let stopped: Promise<void> | undefined
  return {
    url,
    databaseUrl,
    db,
    newTenant: () => newTenant(url, db),
    stopServer: () => server.stop(),
    stop: () => (stopped ??= stop()),
  }
}

/** Creates a tenant in the database. Its requests go to the server at `url`. */
export async function newTenant(url: string, db: Database): Promise<TestTenant> {
  const { id } = await createTenant(db, 'test tenant')
  const createKey: TestTenant['createKey'] = async (options = {}) =>
    (await insertApiKey(db, id, 'live', { name: 'test key', scopes: ['admin'], ...options })).key
  const key = await createKey()
  return {
    url,
    id,
    key,
    createKey,
    request: async (method, path, body, options = {}) => {
      const response = await send(`${url}/api/v1${path}`, method, body, { key, ...options })
      assertFitsDocument(method, path, response)
      return response
    },
  }
}

/** Sends JSON, or no body if it is undefined. Not by `fetch`, which takes a fifth of the processor time of many tests. */
export async function send(
  url: string,
  method: string,
  body: unknown,
  { key, headers }: RequestOptions,
): Promise<ServiceResponse> {
  const response = await request(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.body.text()
  return { status: response.statusCode, headers: headersOf(response.headers), body: text === '' ? undefined : JSON.parse(text) }
}

function headersOf(received: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(received)) for (const value of [values ?? []].flat()) headers.append(name, value)
  return headers
}
