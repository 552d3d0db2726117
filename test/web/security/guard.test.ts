import { describe, expect } from 'vitest'
import { it } from '../../support/it.ts'
import { outcome, PageClient, type PageHeaders, signedIn } from '../support/page-client.ts'

/** Requests for data of every kind: each would change or tell something. */
const REQUESTS = [
  ['POST', '/dashboard/session', { key: 'service_live_x' }],
  ['GET', '/dashboard/session', undefined],
  ['DELETE', '/dashboard/session', undefined],
  ['GET', '/dashboard/api/v1/products', undefined],
  ['POST', '/dashboard/api/v1/products', { name: 'Forged', barcode: 'forged' }],
  ['POST', '/dashboard/nothing', { a: 1 }],
  ['GET', '/dashboard/api/nothing', undefined],
  ['GET', '/scan/session', undefined],
] as const

/** What each request lacks or has, alone: everything else is as a page sends it. */
const FORGERIES: [string, PageHeaders][] = [
  ['no X-Page', { 'x-page': undefined }],
  ['the X-Page of the other app', { 'x-page': 'other' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another origin of the site', { 'sec-fetch-site': 'same-site' }],
  ['the address bar', { 'sec-fetch-site': 'none' }],
  ['no Sec-Fetch-Site and the Origin of another port', { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:1' }],
  ['no Sec-Fetch-Site and the Origin of another scheme', { 'sec-fetch-site': undefined, origin: 'https://127.0.0.1' }],
  ['no Sec-Fetch-Site and an opaque Origin', { 'sec-fetch-site': undefined, origin: 'null' }],
]

describe.each(REQUESTS)('%s %s', (method, path, body) => {
  it.for(FORGERIES)('with %s is refused, with a session too', async ([, forged], { service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const right = path.startsWith('/scan') ? { 'x-page': 'scan' } : {}
    const other = path.startsWith('/scan') ? 'dashboard' : 'scan'
    const headers = { ...right, 'x-page-mode': 'live', ...forged, ...(forged['x-page'] === 'other' ? { 'x-page': other } : {}) }
    const response = await client.send(method, path, body, headers)
    expect(outcome(response)).toEqual([403, 'origin_not_allowed'])
    expect((await client.send('GET', '/dashboard/session')).status).toBe(200)
    expect((await tenant.request('GET', '/products')).body.data.pagination.total).toBe(0)
  })
})

describe('a browser that sends no Sec-Fetch-Site', () => {
  it('is known by the Origin, which only GET may lack', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const old = { 'sec-fetch-site': undefined }
    const product = { name: 'Tea', barcode: 'tea' }
    expect((await client.call('GET', '/products', undefined, old)).status).toBe(200)
    for (const [method, body] of [
      ['POST', product],
      ['DELETE', undefined],
      ['HEAD', undefined],
    ] as const) {
      const path = method === 'DELETE' ? '/products/1' : '/products'
      expect((await client.call(method, path, body, old)).status).toBe(403)
    }
    expect((await client.call('POST', '/products', product, { ...old, origin: service.url })).status).toBe(200)
  })
})

describe('a body', () => {
  it.for(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonp', undefined])(
    'of the type %s is refused with 403',
    async (type, { service, tenant }) => {
      const client = await signedIn(service.url, tenant.key)
      const body = '{"name":"Forged","barcode":"forged"}'
      expect(outcome(await client.call('POST', '/products', body, { 'content-type': type }))).toEqual([403, 'origin_not_allowed'])
      expect((await tenant.request('GET', '/products')).body.data.pagination.total).toBe(0)
    },
  )

  it('is 415 for the API, as ever', async ({ tenant }) => {
    const answer = await tenant.request('POST', '/products', { name: 'Tea' }, { headers: { 'content-type': 'text/plain' } })
    expect(answer.status).toBe(415)
  })
})

describe('other origins', () => {
  const PATHS = [
    '/dashboard',
    '/dashboard/session',
    '/dashboard/api/v1/products',
    '/dashboard/assets/a.js',
    '/scan',
    '/scan/session',
  ]

  it.for(PATHS)('have no preflight at %s', async (path, { service }) => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST', 'sec-fetch-site': 'cross-site' }
    const response = await new PageClient(service.url).send('OPTIONS', path, undefined, preflight)
    expect(outcome(response)).toEqual([404, 'not_found'])
    expect(corsHeaders(response.headers)).toEqual([])
  })

  it.for(PATHS)('are named by no header at %s', async (path, { service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    for (const method of ['GET', 'POST', 'PUT']) {
      const response = await client.send(method, path, undefined, { origin: service.url, 'x-page-mode': 'live' })
      expect(corsHeaders(response.headers), method).toEqual([])
    }
  })

  it('may read the API, as ever', async ({ service }) => {
    const response = await new PageClient(service.url).send('GET', '/api/v1/products', undefined, { origin: 'https://a.example' })
    expect(response.headers['access-control-allow-origin']).toBe('*')
  })
})

describe('an address that is written in another way', () => {
  it.for([
    '/dashboard/sessio%6e',
    '/dashboard/%73ession',
    '/d%61shboard/session',
    '/dashboard/%61pi/v1/products',
    '/dashboard//session',
  ])('%s tells nothing to a request without the headers of a page', async (path, { service, tenant }) => {
    const { cookie } = await signedIn(service.url, tenant.key)
    const bare = new PageClient(service.url, { 'x-page': undefined, 'sec-fetch-site': undefined })
    const response = await bare.send('GET', path, undefined, { cookie, 'x-page-mode': 'live' })
    expect(response.text).not.toContain('expires_at')
    expect(response.text).not.toContain('"success":true')
    expect((await bare.send('POST', path, { key: tenant.key }, { cookie })).status).toBeGreaterThanOrEqual(403)
  })
})

function corsHeaders(headers: Record<string, unknown>): string[] {
  return Object.keys(headers).filter((name) => name.startsWith('access-control-'))
}
