import { describe, expect } from 'vitest'
import { it } from '../../support/it.ts'
import { freePort } from '../../support/free-port.ts'
import { startServerProcess } from '../../support/server-process.ts'
import { sendRaw } from '../../support/send-raw.ts'
import { outcome, PageClient } from '../support/page-client.ts'

const PATHS = [
  '/dashboard',
  '/dashboard/orders',
  '/dashboard/assets/a.js',
  '/dashboard/session',
  '/dashboard/api/v1/orders',
  '/scan',
  '/dashboard/nothing.js',
]
const REFUSAL = 'Set PUBLIC_URL to the address that people use'
const NAVIGATION = { 'sec-fetch-mode': 'navigate', accept: 'text/html,*/*', 'sec-fetch-site': 'none', 'x-page': undefined }

describe('without PUBLIC_URL', () => {
  it.for(['localhost', 'localhost:8080', '127.0.0.1', '127.0.0.1:3000', '[::1]', '[::1]:3000', 'LOCALHOST:1'])(
    'pages answer at %s, whose sessions work',
    async (host, { service, tenant }) => {
      const client = new PageClient(service.url, { host })
      const { status, body } = await client.signIn({ key: tenant.key })
      expect([status, body.data.public_url]).toEqual([200, `http://${host.toLowerCase()}`])
      expect((await client.call('GET', '/orders')).status).toBe(200)
    },
  )

  it.for([
    'evil.example',
    'localhost.evil.example',
    'evil.example:3000',
    '127.0.0.2',
    '0.0.0.0',
    '[::]',
    'localhost@evil.example',
    'localhost:',
    '127.0.0.1:99999',
    'localhost evil',
    '2130706433',
  ])('pages refuse the Host %s, as of a name that an attacker had resolve to this server', async (host, { service, tenant }) => {
    const client = new PageClient(service.url, { host })
    for (const path of PATHS) {
      const response = await client.send('GET', path, undefined, { origin: `http://${host}` })
      expect(outcome(response), path).toEqual([403, 'origin_not_allowed'])
      expect(response.body.error.message, path).toBe(REFUSAL)
    }
    expect(outcome(await client.signIn({ key: tenant.key }))).toEqual([403, 'origin_not_allowed'])
  })

  it('pages refuse a request without a Host', async ({ service }) => {
    const response = await sendRaw(service.url, 'GET /dashboard HTTP/1.0\r\n\r\n')
    expect(response).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('what a client says of the Host in other headers counts for nothing', async ({ startService }) => {
    const service = await startService({ trustProxy: 1 })
    const forwarded = {
      host: 'evil.example',
      'x-forwarded-host': 'localhost',
      forwarded: 'host=localhost',
      'x-forwarded-for': '127.0.0.1',
    }
    expect((await new PageClient(service.url, forwarded).send('GET', '/dashboard/session')).status).toBe(403)
  })

  it('a person who opens the address is told on a page', async ({ service }) => {
    const response = await new PageClient(service.url, { host: 'evil.example' }).send(
      'GET',
      '/dashboard/orders',
      undefined,
      NAVIGATION,
    )
    expect([response.status, response.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8'])
    expect(response.text).toContain(REFUSAL)
    expect(response.headers['content-security-policy']).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(response.headers['x-frame-options']).toBe('DENY')
  })

  it('the API answers at any Host, as ever', async ({ service, tenant }) => {
    const headers = { host: 'evil.example', 'x-api-key': tenant.key }
    expect((await new PageClient(service.url).send('GET', '/api/v1/orders', undefined, headers)).status).toBe(200)
  })
})

describe('PAGES=false', () => {
  it('leaves page paths unknown', async ({ startService }) => {
    const service = await startService({ pages: false })
    const tenant = await service.newTenant()
    const client = new PageClient(service.url, { 'x-page-mode': 'live' })
    for (const path of PATHS) expect(outcome(await client.send('GET', path)), path).toEqual([404, 'not_found'])
    expect(outcome(await client.signIn({ key: tenant.key }))).toEqual([404, 'not_found'])
    expect((await client.send('GET', '/dashboard', undefined, { host: 'evil.example' })).status).toBe(404)
    expect((await tenant.request('GET', '/orders')).status).toBe(200)
  })
})

describe('ROLE=worker', () => {
  it('serves no pages', async ({ service, onTestFinished }) => {
    const monitoringPort = await freePort()
    const settings = { DATABASE_URL: service.databaseUrl, ROLE: 'worker', MONITORING_PORT: String(monitoringPort) }
    const worker = await startServerProcess(settings)
    onTestFinished(async () => void (await worker.end('SIGTERM')))
    const client = new PageClient(`http://127.0.0.1:${monitoringPort}`)
    for (const path of PATHS) expect((await client.send('GET', path)).status, path).toBe(404)
  })
})
