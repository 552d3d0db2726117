import { inject } from 'vitest'
import { insertApiKey } from '../../server/src/api-keys/index.ts'
import { readConfig, type Config } from '../../server/src/config.ts'
import type { Scope } from '../../server/src/context.ts'
import { openDatabase, type Database } from '../../server/src/database/database.ts'
import { startServer } from '../../server/src/server.ts'
import { createTenant } from '../../server/src/tenants/index.ts'
import { assertFitsDocument } from './document.ts'
import { cloneDatabase } from './test-database.ts'

/** An answer of the service. */
export interface Answer {
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

/** A tenant of its own, with an admin key. */
export interface TestTenant {
  id: number
  key: string
  /** Sends JSON to a path below /api/v1 and checks that the answer fits the OpenAPI document. */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Answer>
  /** Another key of the tenant. */
  createKey(options?: { scopes?: Scope[]; expires_at?: string; ip_whitelist?: string[]; name?: string }): Promise<string>
}

/** The real server on a database of its own. */
export interface TestService {
  url: string
  databaseUrl: string
  db: Database
  newTenant(): Promise<TestTenant>
  /** Stops the server and leaves its database. */
  stopServer(): Promise<void>
  stop(): Promise<void>
}

/** Starts the server as `npm start` does, on a copy of the migrated template; the rate limit is off unless `config` sets it. */
export async function startService(config: Partial<Config> = {}): Promise<TestService> {
  const database = await cloneDatabase(inject('postgresUrl'))
  const server = await startServer({
    ...readConfig({ PORT: '0', LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ENCRYPTION_KEY: 'encryption key of the tests' }),
    databaseUrl: database.url,
    ...config,
  })
  const url = server.url ?? ''
  const db = openDatabase(database.url, { maxConnections: 2, pipelinedConnections: 1 })
  return {
    url,
    databaseUrl: database.url,
    db,
    newTenant: () => newTenant(url, db),
    stopServer: () => server.stop(),
    stop: async () => {
      await server.stop()
      await db.close()
      await database.drop()
    },
  }
}

async function newTenant(url: string, db: Database): Promise<TestTenant> {
  const { id } = await createTenant(db, 'test tenant')
  const createKey: TestTenant['createKey'] = async (options = {}) =>
    (await insertApiKey(db, id, 'live', { name: 'test key', scopes: ['admin'], ...options })).key
  const key = await createKey()
  return {
    id,
    key,
    createKey,
    request: async (method, path, body, options = {}) => {
      const answer = await send(`${url}/api/v1${path}`, method, body, { key, ...options })
      assertFitsDocument(method, path, answer)
      return answer
    },
  }
}

/** Sends JSON; a body of undefined sends none. */
export async function send(url: string, method: string, body: unknown, { key, headers }: RequestOptions): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}
