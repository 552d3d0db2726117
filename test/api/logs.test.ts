import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { insertApiKey } from '../../server/src/api-keys/index.ts'
import { openDatabase, type Database } from '../../server/src/database/database.ts'
import { createTenant } from '../../server/src/tenants/index.ts'
import { freePort, startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send } from '../support/service.ts'
import { cloneDatabase } from '../support/test-database.ts'

let database: Awaited<ReturnType<typeof cloneDatabase>>
let db: Database
beforeAll(async () => {
  database = await cloneDatabase(inject('postgresUrl'))
  db = openDatabase(database.url)
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

async function newKey(): Promise<string> {
  const { id } = await createTenant(db, 'log tenant')
  return (await insertApiKey(db, id, 'live', { name: 'key', scopes: ['admin'] })).key
}

const linesOf = (server: ServerProcess): { msg: string; [field: string]: unknown }[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

/** Sends bytes that are no HTTP request, and waits for the answer. */
function sendRaw(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket
      .on('data', () => {})
      .on('error', () => {})
      .on('close', () => resolve())
  })
}

describe('logs', () => {
  it('tell of each request, with its id, and never a secret or what a caller sent', async () => {
    const server = await startServerProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'trace' })
    const key = await newKey()
    const api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      send(`${server.url}/api/v1${path}`, method, body, { key, ...(headers && { headers }) })

    const created = await api('POST', '/api-keys', { name: 'other', preset: 'read_only' }, { 'idempotency-key': 'idem-secret-1' })
    const webhook = await api('POST', '/webhooks', {
      name: 'hook',
      url: 'http://127.0.0.1:1024/?token=url-secret',
      events: ['*'],
    })
    const rotated = await api('POST', `/webhooks/${webhook.body.data.id}/rotate-secret`)
    await api(
      'POST',
      '/products',
      { name: 'Product of the log', barcode: 'log-1', description: 'private description' },
      { 'x-request-id': 'request-of-the-log' },
    )
    await api('GET', '/products?search=private-search')
    await send(`${server.url}/api/v1/products`, 'GET', undefined, { key: `service_live_${'wrong'.repeat(8)}` })
    await sendRaw(server.url, `GET / HTTP/1.1\r\nx-api-key: ${key}\r\nbad header\r\n\r\n`)
    // A fault of ours, with the row in its details.
    await db.pool.query(`alter table products add constraint broken check (name <> 'Broken product')`)
    const broken = await api('POST', '/products', {
      name: 'Broken product',
      barcode: 'log-2',
      description: 'private description',
    })
    expect(broken.status).toBe(500)
    await db.pool.query('alter table products drop constraint broken')
    await server.end('SIGTERM')

    const output = server.output()
    expect(
      linesOf(server).some((line) => line.msg === 'request' && line.reqId === 'request-of-the-log' && line.status === 200),
    ).toBe(true)
    expect(linesOf(server).some(({ err }) => (err as { constraint?: string })?.constraint === 'broken')).toBe(true)
    expect(output).toContain('malformed request')
    const secrets = [
      key,
      created.body.data.key,
      webhook.body.data.secret,
      rotated.body.data.secret,
      'idem-secret-1',
      'url-secret',
      'private',
      'wrong',
      'encryption key of the tests',
    ]
    for (const secret of secrets) {
      expect(output.includes(secret), `the log contains ${secret}`).toBe(false)
      expect(output.includes([...Buffer.from(secret)].join()), `the log contains the bytes of ${secret}`).toBe(false)
    }
  })

  it('show nothing of the database’s password when it can not be reached', async () => {
    const url = new URL(database.url)
    url.password = 'password-of-the-database'
    url.port = String(await freePort())
    const failure = await startServerProcess({ DATABASE_URL: url.href }).then(
      () => 'none',
      (error: Error) => error.message,
    )
    expect(failure).toContain('ECONNREFUSED')
    expect(failure).not.toContain('password-of-the-database')
  })
})

describe('MONITORING_PORT', () => {
  it('moves health and metrics away from the API, and gives them to a worker too', async () => {
    for (const ROLE of ['all', 'worker']) {
      const MONITORING_PORT = String(await freePort())
      const server = await startServerProcess({ DATABASE_URL: database.url, ROLE, MONITORING_PORT })
      for (const path of ['/healthz', '/readyz', '/metrics']) {
        expect([path, (await fetch(`http://127.0.0.1:${MONITORING_PORT}${path}`)).status]).toEqual([path, 200])
        const beside = await fetch(server.url + path).catch(() => undefined)
        expect([path, beside?.status]).toEqual([path, ROLE === 'all' ? 404 : undefined])
      }
      expect(await server.end('SIGTERM')).toBe(0)
    }
  })
})
