import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, expect, onTestFinished } from 'vitest'
import { it } from '../support/it.ts'
import { freePort } from '../support/free-port.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { newTenant, send } from '../support/service.ts'

/** A device of Linux on which no byte has room. */
const FULL = '/dev/full'

const linesOf = (server: ServerProcess): { msg: string; [field: string]: unknown }[] =>
  server
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

/** Sends bytes that are not an HTTP request, and waits for the response. */
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
  it('contain each request with its id, and never a secret or input', async ({ database, startProcess }) => {
    const server = await startProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'trace' })
    const { key } = await newTenant(server.url, database.db)
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
    // A defect of the service, whose error contains the row.
    await database.db.dedicatedPool.query(`alter table products add constraint broken check (name <> 'Broken product')`)
    const broken = await api('POST', '/products', {
      name: 'Broken product',
      barcode: 'log-2',
      description: 'private description',
    })
    expect(broken.status).toBe(500)
    await database.db.dedicatedPool.query('alter table products drop constraint broken')
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

  it('do not contain the database password if the database cannot be reached', async ({ database, startProcess }) => {
    const url = new URL(database.url)
    url.password = 'password-of-the-database'
    url.port = String(await freePort())
    const failure = await startProcess({ DATABASE_URL: url.href }).then(
      () => 'none',
      (error: Error) => error.message,
    )
    expect(failure).toContain('ECONNREFUSED')
    expect(failure).not.toContain('password-of-the-database')
  })
})

describe('a server whose log cannot be written', () => {
  it('goes on while nobody reads it, drops the lines that do not fit into memory, and then logs their number', async ({
    database,
    startProcess,
  }) => {
    const server = await startProcess({ DATABASE_URL: database.url, LOG_LEVEL: 'info' })
    let written = ''
    const { stdout } = server.child
    stdout?.on('data', (chunk) => (written += chunk)).pause()
    const path = 'x'.repeat(12_000)
    const requests = 1_000
    try {
      for (let sent = 0; sent < requests; sent += 20) {
        await Promise.all(Array.from({ length: 20 }, () => send(`${server.url}/${path}`, 'GET', undefined, {})))
      }
      await server.printed(/Log lines are dropped/)
    } finally {
      // A process ends only when its output is read.
      stdout?.resume()
    }
    await expect.poll(() => written).toMatch(/"lines":\d+,"msg":"log lines were dropped"/)
    const logged = written.split('\n').filter((line) => line.includes(path)).length
    const lines = [...written.matchAll(/"lines":(\d+)/g)].map(([, number]) => Number(number))
    expect(lines).toHaveLength(1)
    expect(logged + (lines[0] as number)).toBe(requests)
    expect(server.output().match(/Log lines are dropped/g)).toHaveLength(1)
    expect(await server.end('SIGTERM')).toBe(0)
  })

  describe.skipIf(!existsSync(FULL))('because the disk is full', () => {
    it.for([
      ['worker', '1'],
      ['all', '1'],
      ['all', '2'],
    ] as const)('goes on, and can be stopped (ROLE %s, PROCESSES %s)', async ([ROLE, PROCESSES], { folder, startProcess }) => {
      const MONITORING_PORT = String(await freePort())
      const full = openSync(FULL, 'w')
      const server = await startProcess(
        { DATA_DIR: folder, LOG_LEVEL: 'info', MONITORING_PORT, ROLE, PROCESSES },
        undefined,
        full,
      )
      closeSync(full)
      await server.printed(/The log cannot be written: ENOSPC/)
      if (ROLE === 'all') await server.printed(/could not be printed: ENOSPC.*keys create --tenant 1/)
      expect((await fetch(`http://127.0.0.1:${MONITORING_PORT}/readyz`)).status).toBe(200)
      expect(await server.end('SIGTERM')).toBe(0)
      // Each process says so once, the parent of several, too.
      const processes = PROCESSES === '1' ? 1 : 3
      expect(server.output().match(/The log cannot be written/g)?.length).toBeLessThanOrEqual(processes)
    })

    it('exits although its last lines are not written', async () => {
      const log = new URL('../../server/src/runtime/log.ts', import.meta.url).href
      const script = `import { createLog } from ${JSON.stringify(log)}; createLog('info').info('last'); process.exit(7)`
      const full = openSync(FULL, 'w')
      const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', full, 'inherit'] })
      closeSync(full)
      onTestFinished(() => void child.kill('SIGKILL'))
      expect(await once(child, 'exit')).toEqual([7, null])
    })
  })
})

describe('MONITORING_PORT', () => {
  it('moves health checks and metrics to another port, also for a worker', async ({ database, startProcess }) => {
    for (const ROLE of ['all', 'worker']) {
      const MONITORING_PORT = String(await freePort())
      const server = await startProcess({ DATABASE_URL: database.url, ROLE, MONITORING_PORT })
      for (const path of ['/healthz', '/readyz', '/metrics']) {
        expect([path, (await fetch(`http://127.0.0.1:${MONITORING_PORT}${path}`)).status]).toEqual([path, 200])
        const beside = await fetch(server.url + path).catch(() => undefined)
        expect([path, beside?.status]).toEqual([path, ROLE === 'all' ? 404 : undefined])
      }
      expect(await server.end('SIGTERM')).toBe(0)
    }
  })
})
