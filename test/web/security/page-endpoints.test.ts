import { describe, expect } from 'vitest'
import { it as base } from '../../support/it.ts'
import { cookieOf, outcome, PageClient, signedIn } from '../support/page-client.ts'
import { deviceOf, newDeviceCode, newOperator } from '../support/scan-client.ts'

type App = 'dashboard' | 'scan'
const OTHER = { dashboard: 'scan', scan: 'dashboard' } as const

/** Every endpoint of the pages that needs a session. Operations are reached by one way in, so one of each kind is enough. */
const NEED_SESSION: [app: App, method: string, path: string, body?: object][] = [
  ['dashboard', 'GET', '/dashboard/session'],
  ['dashboard', 'GET', '/dashboard/pulse'],
  ['dashboard', 'GET', '/dashboard/api/v1/orders'],
  ['dashboard', 'POST', '/dashboard/api/v1/products', { name: 'Tea', barcode: '1' }],
  ['dashboard', 'PUT', '/dashboard/api/v1/products/1', { name: 'Tea' }],
  ['dashboard', 'DELETE', '/dashboard/api/v1/sessions/1'],
  ['dashboard', 'POST', '/dashboard/exports', { resource: 'orders' }],
  ['scan', 'GET', '/scan/session'],
  ['scan', 'PUT', '/scan/session/operator', { badge: 'FB-1-0' }],
  ['scan', 'DELETE', '/scan/session/operator'],
  ['scan', 'GET', '/scan/api/v1/flows/queue'],
  ['scan', 'POST', '/scan/api/v1/flows', { order_id: 1 }],
  ['scan', 'PUT', '/scan/api/v1/stock/product/1', { location_id: 'A', quantity: 1 }],
  ['scan', 'DELETE', '/scan/api/v1/flows/1/picks/1'],
]
/** The others. */
const NEED_NONE: typeof NEED_SESSION = [
  ['dashboard', 'POST', '/dashboard/session', { key: 'no key' }],
  ['dashboard', 'DELETE', '/dashboard/session'],
  ['scan', 'POST', '/scan/session', { code: 'no code' }],
  ['scan', 'DELETE', '/scan/session'],
]
const ALL = [...NEED_SESSION, ...NEED_NONE]

const pageOf = (app: App) => ({ 'x-page': app, 'x-page-mode': 'live' })

/** The value of a cookie of each app, which a sign-out ends. */
const it = base.extend('cookies', async ({ service }) => {
  const tenant = await service.newTenant()
  const browser = await signedIn(service.url, tenant.key)
  const device = await deviceOf(tenant, await newOperator(tenant))
  const valueOf = (cookie = '') => cookie.slice(cookie.indexOf('=') + 1)
  return { dashboard: valueOf(browser.cookie), scan: valueOf(device.cookie) }
})

describe.each(NEED_SESSION)('%s: %s %s', (app, method, path, body) => {
  it('needs a session', async ({ service }) => {
    const response = await new PageClient(service.url, pageOf(app)).send(method, path, body)
    expect(outcome(response)).toEqual([401, 'no_session'])
    expect(response.headers['set-cookie']).toBeUndefined()
  })

  it.skipIf(method === 'GET')('needs it before its body is looked at', async ({ service }) => {
    const client = new PageClient(service.url, pageOf(app))
    for (const text of ['{bad', `{"x":"${'x'.repeat(5_000)}"}`])
      expect(outcome(await client.send(method, path, text)), text.slice(0, 9)).toEqual([401, 'no_session'])
  })

  it('takes no session of the other app, under either name', async ({ service, cookies }) => {
    const other = OTHER[app]
    for (const cookie of [`${other}=${cookies[other]}`, `${app}=${cookies[other]}`]) {
      const client = new PageClient(service.url, { ...pageOf(app), cookie })
      expect(outcome(await client.send(method, path, body)), cookie).toEqual([401, 'no_session'])
    }
  })

  it('takes no key', async ({ service, tenant }) => {
    const client = new PageClient(service.url, { ...pageOf(app), 'x-api-key': tenant.key })
    expect(outcome(await client.send(method, path, body))).toEqual([401, 'no_session'])
  })

  it('takes a session of its app', async ({ service, cookies }) => {
    const client = new PageClient(service.url, { ...pageOf(app), cookie: `${app}=${cookies[app]}` })
    expect(outcome(await client.send(method, path, body))).not.toEqual([401, 'no_session'])
  })
})

describe.each(ALL)('%s: %s %s', (app, method, path, body) => {
  it('is only for pages of its app on this server', async ({ service, cookies }) => {
    const own = { ...pageOf(app), cookie: `${app}=${cookies[app]}` }
    const refused = [
      { ...own, 'x-page': undefined },
      { ...own, 'x-page': OTHER[app] },
      { ...own, 'sec-fetch-site': 'cross-site' },
      { ...own, 'sec-fetch-site': 'same-site' },
      { ...own, 'sec-fetch-site': undefined, origin: 'http://evil.example' },
      { ...own, host: 'evil.example' },
      ...(body === undefined ? [] : [{ ...own, 'content-type': 'text/plain' }]),
    ]
    for (const headers of refused) {
      const response = await new PageClient(service.url).send(method, path, body, headers)
      expect(outcome(response), JSON.stringify(headers)).toEqual([403, 'origin_not_allowed'])
    }
  })

  it('never fails on hostile bodies and cookies, is kept by no cache and names no origin', async ({ service, cookies }) => {
    const hostile = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{"code":"\\u0000"}',
      '{"key":{}}',
      '{"badge":[]}',
      `{"x":"${'x'.repeat(3_000)}"}`,
    ]
    const values = [cookies[app], '', '0', '%', '1.'.repeat(50), `9007199254740993.${'a'.repeat(43)}`]
    const isRead = method === 'GET' || method === 'DELETE'
    for (const cookie of values)
      for (const text of isRead ? [undefined] : hostile) {
        const client = new PageClient(service.url, { ...pageOf(app), cookie: `${app}=${cookie}`, 'x-page-operator': '\u00e9' })
        const response = await client.send(method, path, text)
        expect(response.status, `${cookie} ${text}: ${response.text}`).toBeLessThan(500)
        expect(response.headers['cache-control']).toBe('no-store')
        expect(Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
      }
  })
})

describe('a sign-in', () => {
  it('to one app leaves the session of the other', async ({ service, tenant }) => {
    const browser = await signedIn(service.url, tenant.key)
    const device = await deviceOf(tenant, await newOperator(tenant))
    const both = { cookie: `${browser.cookie}; ${device.cookie}` }
    const code = await newDeviceCode(tenant)
    const response = await device.send('POST', '/scan/session', { code }, both)
    expect(cookieOf(response)).toMatch(/^scan=/)
    expect((await browser.send('GET', '/dashboard/session')).status).toBe(200)
    const client = new PageClient(service.url, both)
    expect((await client.send('DELETE', '/dashboard/session')).status).toBe(200)
    device.cookie = cookieOf(response)
    expect((await device.send('GET', '/scan/session')).status).toBe(200)
  })
})
