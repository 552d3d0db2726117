import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { it } from '../../support/it.ts'
import { cookieOf, outcome, PageClient, signedIn } from '../support/page-client.ts'

const HTTPS = { host: 'stock.example' }
const FLAGS = ['HttpOnly', 'Path=/', 'SameSite=Strict']

/** The attributes of a cookie, sorted. */
const attributes = (cookie: unknown): string[] => String(cookie).split('; ').slice(1).toSorted()

describe('the cookie of a session', () => {
  it('over HTTP has the name dashboard and no Secure, which Safari would not keep on localhost', async ({ service, tenant }) => {
    const { headers } = await new PageClient(service.url).signIn({ key: tenant.key })
    expect(headers['set-cookie']).toMatch(new RegExp(`^dashboard=${tenant.id}\\.[A-Za-z0-9_-]{43}; `))
    expect(attributes(headers['set-cookie'])).toEqual([...FLAGS, 'Max-Age=604800'].toSorted())
  })

  it('over HTTPS has the prefix that sibling domains cannot set, and lives as long as the session', async ({ startService }) => {
    const service = await startService({ publicUrl: 'https://stock.example', sessionMaxDays: 2 })
    const { key, id } = await service.newTenant()
    const { headers, body } = await new PageClient(service.url, HTTPS).signIn({ key })
    expect(headers['set-cookie']).toMatch(new RegExp(`^__Host-dashboard=${id}\\.[A-Za-z0-9_-]{43}; `))
    expect(attributes(headers['set-cookie'])).toEqual([...FLAGS, 'Max-Age=172800', 'Secure'].toSorted())
    expect(Date.parse(body.data.expires_at) - Date.parse(body.data.created_at)).toBe(172_800_000)
  })

  it('is read under the one name of the scheme alone', async ({ service, startService, tenant }) => {
    const { cookie = '' } = await signedIn(service.url, tenant.key)
    const value = cookie.replace('dashboard=', '')
    const overHttp = new PageClient(service.url)
    expect((await overHttp.send('GET', '/dashboard/session', undefined, { cookie: `__Host-dashboard=${value}` })).status).toBe(
      401,
    )
    expect((await overHttp.send('GET', '/dashboard/session', undefined, { cookie: `scan=${value}` })).status).toBe(401)
    expect((await overHttp.send('GET', '/dashboard/session', undefined, { cookie: `a=b; dashboard=${value}` })).status).toBe(200)
    const secure = await startService({ publicUrl: 'https://stock.example', databaseUrl: service.databaseUrl })
    const overHttps = new PageClient(secure.url, HTTPS)
    expect((await overHttps.send('GET', '/dashboard/session', undefined, { cookie: `dashboard=${value}` })).status).toBe(401)
    expect((await overHttps.send('GET', '/dashboard/session', undefined, { cookie: `__Host-dashboard=${value}` })).status).toBe(
      200,
    )
  })

  it('is cleared with its session, and other data of the origin is not', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const signedOut = await client.send('DELETE', '/dashboard/session')
    expect(signedOut.body).toEqual({ success: true, data: { message: 'Signed out' } })
    for (const response of [signedOut, await client.send('GET', '/dashboard/session'), await client.call('GET', '/orders')]) {
      expect(String(response.headers['set-cookie'])).toMatch(/^dashboard=; /)
      expect(attributes(response.headers['set-cookie'])).toEqual([...FLAGS, 'Max-Age=0'].toSorted())
      expect(response.headers['clear-site-data']).toBeUndefined()
    }
  })
})

describe('a token', () => {
  it('is new at each sign-in, and the one that the browser had is dead', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const first = client.cookie
    // So that the server remembers it.
    expect((await client.call('GET', '/orders')).status).toBe(200)
    await client.signIn({ key: tenant.key })
    expect(client.cookie).not.toBe(first)
    expect((await client.call('GET', '/orders')).status).toBe(200)
    expect(outcome(await client.call('GET', '/orders', undefined, { cookie: first }))).toEqual([401, 'no_session'])
  })

  it('of another tenant is dead after a sign-in too', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const first = client.cookie
    await client.signIn({ key: (await service.newTenant()).key })
    expect(outcome(await client.call('GET', '/orders', undefined, { cookie: first }))).toEqual([401, 'no_session'])
  })

  it('stays when a sign-in is refused', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    expect((await client.signIn({ key: `${tenant.key}x` })).status).toBe(401)
    expect((await client.send('GET', '/dashboard/session')).status).toBe(200)
  })

  it('is dead after the sign-out', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    expect((await client.call('GET', '/orders')).status).toBe(200)
    await client.send('DELETE', '/dashboard/session')
    expect(outcome(await client.call('GET', '/orders'))).toEqual([401, 'no_session'])
    expect((await client.send('DELETE', '/dashboard/session')).status).toBe(200)
  })

  it('is of its tenant alone', async ({ service, tenant }) => {
    const other = await service.newTenant()
    const { cookie = '' } = await signedIn(service.url, tenant.key)
    const moved = cookie.replace(`=${tenant.id}.`, `=${other.id}.`)
    expect((await new PageClient(service.url).send('GET', '/dashboard/session', undefined, { cookie: moved })).status).toBe(401)
  })

  it('is nowhere in the database: of its random part the SHA-256 is', async ({ service, tenant }) => {
    const { cookie = '' } = await signedIn(service.url, tenant.key)
    const random = cookie.split('.')[1] as string
    const { rows } = await service.db.dedicatedPool.query(
      `select s::text as row, encode(token_hash, 'hex') as hash from sessions s where tenant_id = $1`,
      [tenant.id],
    )
    expect(rows[0].hash).toBe(createHash('sha256').update(random).digest('hex'))
    const hex = [random, Buffer.from(random).toString('hex'), Buffer.from(random, 'base64url').toString('hex')]
    for (const form of hex) expect(rows[0].row).not.toContain(form)
  })

  it.for([
    '',
    'x',
    '1',
    '1.',
    '.x',
    `1.${'a'.repeat(42)}`,
    `0x1.${'a'.repeat(43)}`,
    `9999999999999999.${'a'.repeat(43)}`,
    `1.${'%41'.repeat(43)}`,
    '"1.a"',
    '%',
    '\u00e9',
  ])('of the form %j is none', async (value, { service }) => {
    const headers = { cookie: `dashboard=${value}` }
    expect(outcome(await new PageClient(service.url).call('GET', '/orders', undefined, headers))).toEqual([401, 'no_session'])
  })
})

describe('cookies and keys', () => {
  it('have each their own paths', async ({ service, tenant }) => {
    const { cookie } = await signedIn(service.url, tenant.key)
    const client = new PageClient(service.url)
    const withCookie = { cookie, 'x-page-mode': 'live' }
    expect(outcome(await client.send('GET', '/api/v1/orders', undefined, withCookie))).toEqual([401, 'missing_api_key'])
    const overTrpc = await client.send('GET', '/trpc/orders.list', undefined, withCookie)
    expect(outcome(overTrpc)).toEqual([401, 'missing_api_key'])
    const withKey = { 'x-api-key': tenant.key }
    expect(outcome(await client.call('GET', '/orders', undefined, withKey))).toEqual([401, 'no_session'])
    expect(outcome(await client.send('GET', '/dashboard/session', undefined, withKey))).toEqual([401, 'no_session'])
    expect(outcome(await client.send('GET', '/dashboard/trpc/orders.list', undefined, withCookie))[0]).not.toBe(200)
  })

  it('do not mix: a session goes on when a key comes with it', async ({ service, tenant }) => {
    const other = await service.newTenant()
    await other.request('POST', '/products', { name: 'Foreign', barcode: 'foreign' })
    const client = await signedIn(service.url, tenant.key)
    const { body } = await client.call('GET', '/products', undefined, { 'x-api-key': other.key })
    expect(body.data.pagination.total).toBe(0)
  })
})

describe('the response to a sign-in', () => {
  it('is kept by no cache, and holds no secret but the cookie', async ({ service, tenant }) => {
    const response = await new PageClient(service.url).signIn({ key: tenant.key })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.text).not.toContain(tenant.key)
    expect(response.text).not.toContain(cookieOf(response).split('.')[1])
  })
})
