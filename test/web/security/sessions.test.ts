import { describe, expect } from 'vitest'
import type { Scope } from '@fulfillment/server/procedures/context.ts'
import { it } from '../../support/it.ts'
import { atMost } from '../../support/patience.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { outcome, PageClient, type PageHeaders, signedIn } from '../support/page-client.ts'

const query = async (service: TestService, sql: string, values: unknown[]) =>
  (await service.db.dedicatedPool.query(sql, values)).rows

async function newKey(tenant: TestTenant, options: object): Promise<{ id: number; key: string }> {
  return (await tenant.request('POST', '/api-keys', { name: 'of the test', ...options })).body.data
}

async function sessionId(client: PageClient): Promise<number> {
  return (await client.send('GET', '/dashboard/session')).body.data.id
}

describe('a session', () => {
  it('is told what it is', async ({ service, tenant }) => {
    const expires_at = '2031-01-01T00:00:00.000Z'
    const { id, key } = await newKey(tenant, { scopes: ['read:orders'], expires_at })
    const client = await signedIn(service.url, key)
    const { body } = await client.send('GET', '/dashboard/session')
    expect(body).toEqual({
      success: true,
      data: {
        id: expect.any(Number),
        tenant: { id: tenant.id, name: 'test tenant' },
        key: { id, name: 'of the test', prefix: key.slice(0, 17), expires_at },
        scopes: ['read:orders'],
        modes: ['live'],
        created_at: expect.any(String),
        expires_at: expect.any(String),
        idle_expires_at: expect.any(String),
        public_url: service.url,
        version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      },
    })
    const { created_at, expires_at: ends, idle_expires_at } = body.data
    expect(Date.parse(ends) - Date.parse(created_at)).toBe(7 * 86_400_000)
    expect(Date.parse(idle_expires_at) - Date.parse(created_at)).toBe(12 * 3_600_000)
  })

  it('ends with the revocation of its key: at once here, within a second on another server', async ({
    service,
    tenant,
    startService,
  }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const { id, key } = await newKey(tenant, { preset: 'read_only' })
    const client = await signedIn(service.url, key)
    const elsewhere = new PageClient(other.url, { cookie: client.cookie })
    expect((await elsewhere.call('GET', '/orders')).status).toBe(200)
    expect((await client.call('GET', '/orders')).status).toBe(200)
    await tenant.request('DELETE', `/api-keys/${id}`)
    expect(outcome(await client.call('GET', '/orders'))).toEqual([401, 'no_session'])
    await expect.poll(async () => (await elsewhere.call('GET', '/orders')).status, { timeout: atMost(1_000) }).toBe(401)
  })

  it('ends by itself within a second on another server, when it is ended', async ({ service, tenant, startService }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const client = await signedIn(service.url, tenant.key)
    const elsewhere = new PageClient(other.url, { cookie: client.cookie })
    expect((await elsewhere.call('GET', '/orders')).status).toBe(200)
    await client.send('DELETE', '/dashboard/session')
    await expect.poll(async () => (await elsewhere.call('GET', '/orders')).status, { timeout: atMost(1_000) }).toBe(401)
  })

  it('ends when its key expires', async ({ service, tenant }) => {
    const { key } = await newKey(tenant, { preset: 'read_only', expires_at: new Date(Date.now() + 4_000).toISOString() })
    const client = await signedIn(service.url, key)
    expect((await client.call('GET', '/orders')).status).toBe(200)
    await expect.poll(async () => outcome(await client.call('GET', '/orders'))).toEqual([401, 'no_session'])
  })

  it('has the scopes and the allow-list that its key has now', async ({ service, tenant }) => {
    const { id, key } = await newKey(tenant, { scopes: ['read:orders', 'read:products'] })
    const client = await signedIn(service.url, key)
    expect((await client.call('GET', '/products')).status).toBe(200)
    expect(outcome(await client.call('POST', '/products', { name: 'Tea', barcode: 'tea' }))).toEqual([403, 'insufficient_scope'])
    await query(service, `update api_keys set scopes = '{read:orders}' where tenant_id = $1 and id = $2`, [tenant.id, id])
    await expect.poll(async () => outcome(await client.call('GET', '/products'))).toEqual([403, 'insufficient_scope'])
    await query(service, `update api_keys set ip_whitelist = '{10.0.0.1}' where tenant_id = $1 and id = $2`, [tenant.id, id])
    await expect.poll(async () => outcome(await client.call('GET', '/orders'))).toEqual([403, 'ip_not_allowed'])
    expect(outcome(await client.send('GET', '/dashboard/session'))).toEqual([403, 'ip_not_allowed'])
  })

  it('is refused to a key that cannot call the API either', async ({ service, tenant }) => {
    const signIn = async (key: string) => outcome(await new PageClient(service.url).signIn({ key }))
    const expired = await tenant.createKey({ expires_at: new Date(Date.now() - 1_000).toISOString() })
    expect(await signIn(expired)).toEqual([401, 'expired_api_key'])
    expect(await signIn(await tenant.createKey({ ip_whitelist: ['10.0.0.1'] }))).toEqual([403, 'ip_not_allowed'])
    expect(await signIn(tenant.key.slice(0, -1))).toEqual([401, 'invalid_api_key'])
    expect(await query(service, 'select id from sessions where tenant_id = $1', [tenant.id])).toEqual([])
  })

  it.for([
    [{}, 'give either key or code'],
    [{ key: 'a', code: 'b' }, 'give either key or code'],
    [{ key: 1 }, 'must be a string'],
    [[], 'must be an object'],
  ] as const)('is not begun with %j', async ([input, message], { service }) => {
    const response = await new PageClient(service.url).send('POST', '/dashboard/session', input)
    expect(outcome(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(message)
  })
})

describe('the life of a session', () => {
  const age = (service: TestService, tenant: TestTenant, column: string, interval: string) =>
    query(service, `update sessions set ${column} = ${column} - $2::interval where tenant_id = $1`, [tenant.id, interval])

  it('ends when it was not used for SESSION_IDLE_HOURS, by the clock of the database', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    await age(service, tenant, 'last_seen_at', '11 hours 59 minutes')
    await expect.poll(async () => (await client.send('GET', '/dashboard/session', undefined, BACKGROUND)).status).toBe(200)
    await age(service, tenant, 'last_seen_at', '2 minutes')
    await expect
      .poll(async () => outcome(await client.call('GET', '/orders', undefined, BACKGROUND)))
      .toEqual([401, 'no_session'])
    expect((await tenant.request('GET', '/sessions')).body.data.sessions).toEqual([])
  })

  it('ends after SESSION_MAX_DAYS, however much it is used', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    await age(service, tenant, 'expires_at', '6 days 23 hours')
    await expect.poll(async () => (await client.call('GET', '/orders')).status).toBe(200)
    await age(service, tenant, 'expires_at', '1 hour')
    await expect.poll(async () => outcome(await client.call('GET', '/orders'))).toEqual([401, 'no_session'])
    expect((await tenant.request('GET', '/sessions')).body.data.sessions).toEqual([])
  })

  it('is longer for use, which is written once a minute, and not for polling', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const lastSeen = async () =>
      (
        await query(service, 'select extract(epoch from now() - last_seen_at)::int as ago from sessions where tenant_id = $1', [
          tenant.id,
        ])
      )[0].ago
    await age(service, tenant, 'last_seen_at', '50 seconds')
    await untilReadAgain()
    await client.call('GET', '/orders')
    expect(await lastSeen()).toBeGreaterThanOrEqual(50)
    await age(service, tenant, 'last_seen_at', '1 hour')
    await untilReadAgain()
    await client.call('GET', '/orders', undefined, BACKGROUND)
    await client.send('GET', '/dashboard/session', undefined, BACKGROUND)
    expect(await lastSeen()).toBeGreaterThanOrEqual(3_600)
    await client.call('GET', '/orders')
    expect(await lastSeen()).toBeLessThan(60)
  })

  const BACKGROUND = { 'x-page-background': '1' }
  /** Until a server asks the database again. */
  const untilReadAgain = () => new Promise((resolve) => setTimeout(resolve, 900))
})

describe('ended sessions and old codes', () => {
  it('are deleted after 30 days', async ({ service, tenant, startService }) => {
    for (let i = 0; i < 4; i++) await signedIn(service.url, tenant.key)
    await query(
      service,
      `update sessions s set ended_at = now() - days * interval '1 day', expires_at = now() + (20 - days) * interval '1 day'
       from (select id, (row_number() over (order by id) + 27) as days from sessions where tenant_id = $1) o
       where s.tenant_id = $1 and s.id = o.id and days <> 29`,
      [tenant.id],
    )
    await query(
      service,
      `insert into sign_in_codes (tenant_id, code_hash, key_id, kind, expires_at)
       select $1, sha256(days::text::bytea), k.id, 'dashboard', now() - days * interval '1 day'
       from api_keys k cross join generate_series(29, 31, 2) days where k.tenant_id = $1`,
      [tenant.id],
    )
    const kept = async (table: string) =>
      (await query(service, `select count(*)::int as kept from ${table} where tenant_id = $1`, [tenant.id]))[0].kept
    // Ended 28, 30 and 31 days ago; one has not ended.
    expect([await kept('sessions'), await kept('sign_in_codes')]).toEqual([4, 2])
    await startService({ databaseUrl: service.databaseUrl })
    await expect.poll(() => kept('sessions')).toBe(2)
    await expect.poll(() => kept('sign_in_codes')).toBe(1)
  })
})

describe('sessions of a key', () => {
  it('are at most 50: with one more the oldest ends, also when several begin at once', async ({ service, tenant }) => {
    const { key } = await newKey(tenant, { preset: 'read_only' })
    const first = await signedIn(service.url, key)
    const second = await signedIn(service.url, key)
    for (let i = 0; i < 4; i++) await Promise.all(Array.from({ length: 12 }, () => signedIn(service.url, key)))
    expect((await first.call('GET', '/orders')).status).toBe(200)
    const last = await signedIn(service.url, key)
    expect(outcome(await first.call('GET', '/orders'))).toEqual([401, 'no_session'])
    for (const client of [second, last]) expect((await client.call('GET', '/orders')).status).toBe(200)
    await Promise.all(Array.from({ length: 8 }, () => signedIn(service.url, key)))
    expect((await tenant.request('GET', '/sessions')).body.data.sessions).toHaveLength(50)
    // Those of another key stay.
    const other = await signedIn(service.url, tenant.key)
    expect((await tenant.request('GET', '/sessions')).body.data.sessions).toHaveLength(51)
    expect((await other.call('GET', '/orders')).status).toBe(200)
  })
})

describe('live and test', () => {
  const product = (name: string) => ({ name, barcode: name })

  it('are the data that X-Page-Mode names, from the first call on', async ({ service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    expect((await client.send('GET', '/dashboard/session')).body.data.modes).toEqual(['live', 'test'])
    const test = { 'x-page-mode': 'test' }
    expect((await client.call('POST', '/products', product('sandbox'), test)).status).toBe(200)
    expect((await client.call('POST', '/products', product('real'))).status).toBe(200)
    const names = async (headers: PageHeaders) =>
      (await client.call('GET', '/products', undefined, headers)).body.data.products.map(({ name }: { name: string }) => name)
    expect([await names({}), await names(test)]).toEqual([['real'], ['sandbox']])
    const stock = {
      product_id: (await client.call('GET', '/products', undefined, test)).body.data.products[0].id,
      location_id: 'A',
      adjustment_quantity: 1,
    }
    expect((await client.call('POST', '/stock/adjustment', stock, test)).status).toBe(200)
    expect(outcome(await client.call('POST', '/stock/adjustment', stock))).toEqual([404, 'not_found'])
  })

  it.for(['', 'Live', 'sandbox', undefined])('X-Page-Mode: %s is refused', async (mode, { service, tenant }) => {
    const client = await signedIn(service.url, tenant.key)
    const response = await client.call('GET', '/orders', undefined, { 'x-page-mode': mode })
    expect(outcome(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toBe('X-Page-Mode must be live or test')
  })

  it('test needs the scope admin', async ({ service, tenant }) => {
    const everything: Scope[] = ['read:orders', 'write:orders', 'read:products', 'write:products', 'read:stock', 'write:stock']
    const client = await signedIn(service.url, await tenant.createKey({ scopes: everything }))
    expect((await client.send('GET', '/dashboard/session')).body.data.modes).toEqual(['live'])
    expect(outcome(await client.call('GET', '/orders', undefined, { 'x-page-mode': 'test' }))).toEqual([
      403,
      'insufficient_scope',
    ])
    expect(await query(service, 'select id from tenants where sandbox_of = $1', [tenant.id])).toEqual([])
  })

  it('the session of a test key has test alone, of the tenant it shows', async ({ service, tenant }) => {
    const { key } = await newKey(tenant, { scopes: ['admin'], mode: 'test' })
    const client = await signedIn(service.url, key)
    const { body } = await client.send('GET', '/dashboard/session')
    expect([body.data.modes, body.data.tenant]).toEqual([['test'], { id: tenant.id, name: 'test tenant' }])
    expect((await client.call('POST', '/products', product('sandbox'), { 'x-page-mode': 'test' })).status).toBe(200)
    expect(outcome(await client.call('GET', '/products'))).toEqual([403, 'insufficient_scope'])
    expect((await tenant.request('GET', '/products')).body.data.pagination.total).toBe(0)
  })
})

describe('a page of another tenant', () => {
  it('whose browser has signed in anew is refused; the session stays', async ({ service, tenant }) => {
    const other = await service.newTenant()
    const client = await signedIn(service.url, tenant.key)
    const [own, foreign] = [tenant, other].map(({ id }) => ({ 'x-page-mode': 'live', 'x-page-tenant': String(id) }))
    const tea = { name: 'Tea', barcode: '1' }
    for (const [method, path, body] of [
      ['GET', '/dashboard/api/v1/products', undefined],
      ['POST', '/dashboard/api/v1/products', tea],
      ['GET', '/dashboard/pulse', undefined],
      ['POST', '/dashboard/exports', { resource: 'products' }],
    ] as const) {
      const refused = await client.send(method, path, body, foreign)
      expect([path, ...outcome(refused), refused.headers['set-cookie']]).toEqual([path, 401, 'no_session', undefined])
    }
    expect((await client.call('GET', '/products', undefined, own)).body.data.pagination.total).toBe(0)
    expect((await client.call('POST', '/products', tea, own)).status).toBe(200)
    // By this the page learns whose session it is.
    expect((await client.send('GET', '/dashboard/session', undefined, foreign)).body.data.tenant.id).toBe(tenant.id)
  })

  it('does not include the sandbox: it has the tenant of its session', async ({ service, tenant }) => {
    const { key } = await newKey(tenant, { scopes: ['admin'], mode: 'test' })
    const test = { 'x-page-mode': 'test', 'x-page-tenant': String(tenant.id) }
    for (const each of [key, tenant.key]) {
      const client = await signedIn(service.url, each)
      expect((await client.call('GET', '/products', undefined, test)).status).toBe(200)
    }
  })
})

describe('the operations on sessions', () => {
  it('list those of the tenant, with what tells them apart, and end one', async ({ service, tenant }) => {
    const { id: keyId, key } = await newKey(tenant, { preset: 'read_only' })
    const client = await signedIn(service.url, key, { 'user-agent': 'Firefox' })
    const id = await sessionId(client)
    const { sessions } = (await tenant.request('GET', '/sessions')).body.data
    expect(sessions).toEqual([
      {
        id,
        kind: 'dashboard',
        mode: 'live',
        key_id: keyId,
        key_name: 'of the test',
        device_name: null,
        operator: null,
        address: '127.0.0.1',
        user_agent: 'Firefox',
        created_at: expect.any(String),
        last_seen_at: expect.any(String),
        expires_at: expect.any(String),
      },
    ])
    expect((await tenant.request('DELETE', `/sessions/${id}`)).body.data).toEqual({ message: 'Session ended' })
    expect(outcome(await client.call('GET', '/orders'))).toEqual([401, 'no_session'])
    expect((await tenant.request('DELETE', `/sessions/${id}`)).status).toBe(200)
    expect((await tenant.request('GET', '/sessions')).body.data.sessions).toEqual([])
  })

  it('neither list nor end those of another tenant', async ({ service, tenant }) => {
    const other = await service.newTenant()
    const client = await signedIn(service.url, tenant.key)
    expect((await other.request('GET', '/sessions')).body.data.sessions).toEqual([])
    const answer = await other.request('DELETE', `/sessions/${await sessionId(client)}`)
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found'])
    const foreign = await signedIn(service.url, other.key)
    expect(outcome(await foreign.call('DELETE', `/sessions/${await sessionId(client)}`))).toEqual([404, 'not_found'])
    expect((await client.call('GET', '/orders')).status).toBe(200)
  })

  it('list those of test keys to live keys, and not the other way round', async ({ service, tenant }) => {
    const { key } = await newKey(tenant, { scopes: ['admin'], mode: 'test' })
    const [live, test] = [await signedIn(service.url, tenant.key), await signedIn(service.url, key)]
    const listed = async (client: PageClient, mode: string) =>
      (await client.call('GET', '/sessions', undefined, { 'x-page-mode': mode })).body.data.sessions.map(
        ({ id }: { id: number }) => id,
      )
    expect(await listed(live, 'live')).toEqual([await sessionId(test), await sessionId(live)])
    expect(await listed(test, 'test')).toEqual([await sessionId(test)])
    expect((await test.call('DELETE', `/sessions/${await sessionId(live)}`, undefined, { 'x-page-mode': 'test' })).status).toBe(
      404,
    )
    expect((await live.call('DELETE', `/sessions/${await sessionId(test)}`)).status).toBe(200)
    expect((await test.send('GET', '/dashboard/session')).status).toBe(401)
  })
})
