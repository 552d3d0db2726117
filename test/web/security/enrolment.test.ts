import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { it as base } from '../../support/it.ts'
import { atMost } from '../../support/patience.ts'
import type { TestService, TestTenant } from '../../support/service.ts'
import { outcome, PageClient, signedIn } from '../support/page-client.ts'
import { enrolled, newDeviceCode, newOperator, ScanClient } from '../support/scan-client.ts'

const it = base.extend('settings', { scope: 'file' }, { trustProxy: 1 })

const INVALID = [401, 'invalid_code']

const query = async (service: TestService, sql: string, values: unknown[]) =>
  (await service.db.dedicatedPool.query(sql, values)).rows

const sessionsOf = async (tenant: TestTenant) => (await tenant.request('GET', '/sessions')).body.data.sessions

describe('an enrolment', () => {
  it('tells the device what it is', async ({ service, tenant }) => {
    const client = new ScanClient(service.url)
    const { status, body } = await client.enrol(await newDeviceCode(tenant, { device_name: 'Handheld 3' }))
    const session = {
      id: expect.any(Number),
      tenant: { id: tenant.id, name: 'test tenant' },
      mode: 'live',
      device_name: 'Handheld 3',
      operator: null,
      expires_at: expect.any(String),
      server_time: expect.any(String),
      public_url: service.url,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    }
    const device = { id: expect.any(Number), secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) }
    expect([status, body]).toEqual([200, { success: true, data: { ...session, device } }])
    expect((await client.send('GET', '/scan/session')).body).toEqual({ success: true, data: session })
    const { expires_at, server_time } = body.data
    expect(Math.abs(Date.parse(server_time) - Date.now())).toBeLessThan(60_000)
    expect(Math.abs(Date.parse(expires_at) - Date.parse(server_time) - 180 * 86_400_000)).toBeLessThan(60_000)
  })

  it('sets a cookie of the scan app, for 180 days', async ({ service, tenant }) => {
    const client = new ScanClient(service.url)
    const { headers } = await client.enrol(await newDeviceCode(tenant))
    expect(headers['set-cookie']).toMatch(new RegExp(`^scan=${tenant.id}\\.[A-Za-z0-9_-]{43}; `))
    const flags = ['HttpOnly', 'Max-Age=15552000', 'Path=/', 'SameSite=Strict']
    expect(String(headers['set-cookie']).split('; ').slice(1).toSorted()).toEqual(flags)
    expect(headers['cache-control']).toBe('no-store')
  })

  it('over HTTPS sets the cookie that sibling domains cannot set', async ({ startService }) => {
    const service = await startService({ publicUrl: 'https://stock.example' })
    const tenant = await service.newTenant()
    const client = new ScanClient(service.url, { host: 'stock.example' })
    const { body } = await tenant.request('POST', '/devices/codes', { device_name: 'Handheld' })
    expect(body.data.url).toBe(`https://stock.example/scan#code=${body.data.code}`)
    const { headers } = await client.enrol(body.data.code)
    expect(headers['set-cookie']).toMatch(/^__Host-scan=.*; Secure/)
  })

  it('can name the device', async ({ tenant }) => {
    const client = new ScanClient(tenant.url)
    expect((await client.enrol(await newDeviceCode(tenant), { device_name: 'Mine' })).body.data.device_name).toBe('Mine')
  })

  it('is in the list of sessions, with its operator', async ({ tenant }) => {
    const ada = await newOperator(tenant)
    const client = await enrolled(tenant, { device_name: 'Handheld 3' })
    expect(await sessionsOf(tenant)).toMatchObject([{ kind: 'device', device_name: 'Handheld 3', operator: null }])
    await client.scanBadge(ada)
    expect((await sessionsOf(tenant))[0].operator).toEqual({ id: ada.id, name: ada.name, email: ada.email })
  })

  it('ends the session that the browser had', async ({ service, tenant }) => {
    const client = await enrolled(tenant)
    const { cookie } = client
    client.device = undefined
    await client.enrol(await newDeviceCode(tenant))
    expect(outcome(await new ScanClient(service.url, { cookie }).send('GET', '/scan/session'))).toEqual([401, 'no_session'])
    expect(await sessionsOf(tenant)).toHaveLength(1)
  })

  it('ends at sign-out, and the cookie is cleared', async ({ tenant }) => {
    const client = await enrolled(tenant)
    const response = await client.send('DELETE', '/scan/session')
    expect(response.body).toEqual({ success: true, data: { message: 'The device is no longer enrolled' } })
    expect(String(response.headers['set-cookie'])).toMatch(/^scan=; .*Max-Age=0/)
    expect(response.headers['clear-site-data']).toBeUndefined()
    expect(outcome(await client.send('GET', '/scan/session'))).toEqual([401, 'no_session'])
    expect((await client.send('DELETE', '/scan/session')).status).toBe(200)
  })

  it('is in the audit log, with its end', async ({ tenant }) => {
    const client = await enrolled(tenant, { device_name: 'Handheld 3' })
    const { id } = (await client.send('GET', '/scan/session')).body.data
    await client.send('DELETE', '/scan/session')
    const { entries } = (await tenant.request('GET', '/audit-log')).body.data
    const of = ({ operation, surface, session_id, input }: Record<string, unknown>) => [operation, surface, session_id, input]
    expect(entries.map(of)).toEqual([
      ['sessions.end', 'scan', id, { id }],
      ['sessions.start', 'scan', id, { way: 'code', device_name: 'Handheld 3', mode: 'live' }],
      ['devices.createCode', 'api', null, { device_name: 'Handheld 3' }],
    ])
  })

  it('is in the audit log, with its end by an enrolment of the same device', async ({ tenant }) => {
    const client = await enrolled(tenant)
    const idOf = async () => (await client.send('GET', '/scan/session')).body.data.id
    const former = await idOf()
    // The browser has lost the cookie, and knows which device it is.
    client.cookie = undefined
    await client.enrol(await newDeviceCode(tenant))
    const { entries } = (await tenant.request('GET', '/audit-log?operation=sessions.end')).body.data
    expect(entries).toMatchObject([
      { input: { id: former }, surface: 'scan', session_id: await idOf(), key_name: 'test key', address: '127.0.0.1' },
    ])
  })
})

describe('a code', () => {
  it('enrols one device of many that use it at once, and none later', async ({ tenant }) => {
    const code = await newDeviceCode(tenant)
    const all = await Promise.all(Array.from({ length: 8 }, () => new ScanClient(tenant.url, from()).enrol(code)))
    expect(all.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 401)])
    expect(outcome(await new ScanClient(tenant.url).enrol(code))).toEqual(INVALID)
  })

  it('is understood as people type it', async ({ tenant }) => {
    const [number = '', random = ''] = (await newDeviceCode(tenant)).split('-')
    const typed = ` ${number}-${random.toLowerCase().replaceAll('0', 'o').replaceAll('1', 'l')} `
    expect((await new ScanClient(tenant.url).enrol(typed)).status).toBe(200)
  })

  it('is of no use after 10 minutes, for the dashboard, for another tenant and without its key', async ({ service, tenant }) => {
    const age = (interval: string) =>
      query(service, 'update sign_in_codes set expires_at = expires_at - $2::interval where tenant_id = $1', [
        tenant.id,
        interval,
      ])
    const enrol = async (code: string) => outcome(await new ScanClient(tenant.url, from()).enrol(code))
    const [fresh, old] = [await newDeviceCode(tenant), await newDeviceCode(tenant)]
    await age('9 minutes 50 seconds')
    expect(await enrol(fresh)).toEqual([200, undefined])
    await age('10 seconds')
    expect(await enrol(old)).toEqual(INVALID)
    const code = await newDeviceCode(tenant)
    expect(outcome(await new PageClient(tenant.url, from()).signIn({ code }))).toEqual(INVALID)
    const other = await service.newTenant()
    expect(await enrol(code.replace(/^\d+/, String(other.id)))).toEqual(INVALID)
    const key = await tenant.createKey({ name: 'revoked' })
    const ofRevoked = await newDeviceCode(tenant, {}, key)
    await query(service, `update api_keys set revoked_at = now() where tenant_id = $1 and name = 'revoked'`, [tenant.id])
    expect(await enrol(ofRevoked)).toEqual(INVALID)
    expect(await enrol(code)).toEqual([200, undefined])
  })

  it('of the dashboard enrols no device', async ({ service, tenant }) => {
    const { createSignInCode } = await import('@fulfillment/server/domain/sessions/index.ts')
    const [{ id: keyId }] = await query(service, 'select id::int from api_keys where tenant_id = $1', [tenant.id])
    const code = await createSignInCode(service.db, { tenantId: tenant.id, keyId })
    expect(outcome(await new ScanClient(tenant.url).enrol(code))).toEqual(INVALID)
  })

  it('is not spent by an address that its key does not allow', async ({ service, tenant }) => {
    const code = await newDeviceCode(tenant)
    const allow = (list: string) =>
      query(service, 'update api_keys set ip_whitelist = $2 where tenant_id = $1', [tenant.id, list])
    await allow('{10.0.0.1}')
    expect(outcome(await new ScanClient(tenant.url, from()).enrol(code))).toEqual([403, 'ip_not_allowed'])
    await allow('{}')
    expect((await new ScanClient(tenant.url).enrol(code)).status).toBe(200)
  })

  it('is stored as its hash, like the secrets of a device', async ({ service, tenant }) => {
    const code = await newDeviceCode(tenant)
    const client = new ScanClient(tenant.url)
    await client.enrol(code)
    const random = code.split('-')[1] as string
    const [row] = await query(
      service,
      `select encode(c.code_hash, 'hex') as code, encode(d.secret_hash, 'hex') as secret, c::text || d::text as rows
       from sign_in_codes c join devices d using (tenant_id) where c.tenant_id = $1`,
      [tenant.id],
    )
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
    const { secret = '' } = client.device ?? {}
    expect([row.code, row.secret]).toEqual([sha256(random), sha256(secret)])
    for (const text of [random, secret]) expect(row.rows).not.toContain(Buffer.from(text).toString('hex'))
  })

  it.for([
    [{}, 'code'],
    [{ code: 1 }, 'code'],
    [{ code: 'a', device: 1 }, 'device'],
    [{ code: 'a', device: { id: 1 } }, 'device.secret'],
    [{ code: 'a', device: { id: -1, secret: 'a' } }, 'device.id'],
    [{ code: 'a', devices: [{ id: 1 }] }, 'devices[0].secret'],
    [{ code: 'a', device_name: '' }, 'device_name'],
    [[], ''],
  ] as const)('%j is no valid input', async ([input, path], { service }) => {
    const response = await new ScanClient(service.url).send('POST', '/scan/session', input)
    expect(outcome(response)).toEqual([400, 'validation_error'])
    expect(response.body.error.message).toContain(path)
  })

  it('is refused 10 times a minute and address, then with 429, and a valid one never', async ({ tenant }) => {
    const client = new ScanClient(tenant.url, from())
    for (let i = 0; i < 10; i++) expect(outcome(await client.enrol(`${tenant.id}-${'0'.repeat(16)}`))).toEqual(INVALID)
    const response = await client.enrol('no code')
    expect(outcome(response)).toEqual([429, 'rate_limit_exceeded'])
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
    expect((await client.enrol(await newDeviceCode(tenant))).status).toBe(200)
  })
})

describe('a device', () => {
  it('stays the same device when it is enrolled again, with a new session', async ({ tenant }) => {
    const client = await enrolled(tenant)
    const { device, cookie } = client
    // As after the cookies of the browser were deleted.
    client.cookie = undefined
    const { body } = await client.enrol(await newDeviceCode(tenant))
    expect(body.data.device).toEqual(device)
    expect(outcome(await client.send('GET', '/scan/session', undefined, { cookie }))).toEqual([401, 'no_session'])
    expect(await sessionsOf(tenant)).toHaveLength(1)
  })

  it.for(['another secret', 'the id of another device', 'a device of another tenant', 'a device of the sandbox'] as const)(
    'is a new one with %s',
    async (case_, { service, tenant }) => {
      const { device } = await enrolled(tenant)
      const elsewhere = await enrolled(await service.newTenant())
      const sandbox = await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })
      const inSandbox = await enrolled(tenant, {}, sandbox.body.data.key)
      const given = {
        'another secret': { id: device?.id, secret: 'a'.repeat(43) },
        'the id of another device': { id: (await enrolled(tenant)).device?.id, secret: device?.secret },
        'a device of another tenant': elsewhere.device,
        'a device of the sandbox': inSandbox.device,
      }[case_]
      const { body } = await new ScanClient(tenant.url).enrol(await newDeviceCode(tenant), { device: given })
      expect(body.data.device.id).not.toBe(given?.id)
      expect(body.data.device.secret).not.toBe(given?.secret)
    },
  )

  it('is the one of its tenant and mode, of all that the browser has been', async ({ service, tenant }) => {
    const { key } = (await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })).body.data
    const live = await enrolled(tenant)
    const test = await enrolled(tenant, {}, key)
    const elsewhere = await enrolled(await service.newTenant())
    const devices = [elsewhere, live, test].map(({ device }) => device)
    for (const [client, code] of [
      [live, await newDeviceCode(tenant)],
      [test, await newDeviceCode(tenant, {}, key)],
    ] as const)
      expect((await new ScanClient(tenant.url).enrol(code, { devices })).body.data.device).toEqual(client.device)
  })

  it('is the first of them whose secret is right', async ({ tenant }) => {
    const [first, second] = [await enrolled(tenant), await enrolled(tenant)]
    const devices = [{ ...first.device, secret: 'a'.repeat(43) }, second.device, first.device]
    const client = new ScanClient(tenant.url)
    expect((await client.enrol(await newDeviceCode(tenant), { devices })).body.data.device).toEqual(second.device)
  })

  it('is of the mode in which it was enrolled, also with a live key', async ({ service, tenant }) => {
    const dashboard = await signedIn(service.url, tenant.key)
    const test = { 'x-page-mode': 'test' }
    const created = await dashboard.call('POST', '/devices/codes', { device_name: 'Test' }, test)
    expect(created.body.data.url).toBe(`${service.url}/scan#code=${created.body.data.code}`)
    const client = new ScanClient(service.url)
    expect((await client.enrol(created.body.data.code)).body.data).toMatchObject({
      mode: 'test',
      tenant: { id: tenant.id, name: 'test tenant' },
    })
    const ada = { name: 'Ada', email: 'ada@example.com' }
    const inSandbox = (await dashboard.call('POST', '/operators', ada, test)).body.data
    const { badge } = (await dashboard.call('POST', `/operators/${inSandbox.id}/badge`, undefined, test)).body.data
    expect(outcome(await client.scanBadge(await newOperator(tenant, ada)))).toEqual(INVALID)
    expect(outcome(await client.scanBadge({ id: inSandbox.id, badge }))).toEqual([200, undefined])
    await dashboard.call('POST', '/products', { name: 'Live', barcode: 'live' })
    await dashboard.call('POST', '/products', { name: 'Test', barcode: 'test' }, test)
    for (const headers of [{}, { 'x-page-mode': 'live' }]) {
      const { products } = (await client.call('GET', '/products', undefined, headers)).body.data
      expect(products.map(({ barcode }: { barcode: string }) => barcode)).toEqual(['test'])
    }
    expect((await sessionsOf(tenant)).map(({ operator }: { operator: object }) => operator)).toContainEqual({
      id: inSandbox.id,
      ...ada,
    })
    expect((await client.enrol(await newDeviceCode(tenant))).body.data.mode).toBe('live')
  })

  it('of the sandbox is listed and ended where it was enrolled, and is told apart elsewhere', async ({ service, tenant }) => {
    const dashboard = await signedIn(service.url, tenant.key)
    const test = { 'x-page-mode': 'test' }
    const { code } = (await dashboard.call('POST', '/devices/codes', { device_name: 'Test' }, test)).body.data
    const client = new ScanClient(service.url)
    await client.enrol(code)
    await enrolled(tenant, { device_name: 'Live' })
    for (const headers of [{}, test]) {
      const { sessions } = (await dashboard.call('GET', '/sessions', undefined, headers)).body.data
      expect(sessions).toMatchObject([
        { kind: 'device', device_name: 'Live', mode: 'live' },
        { kind: 'device', device_name: 'Test', mode: 'test' },
        { kind: 'dashboard', mode: 'live' },
      ])
    }
    const { sessions } = (await dashboard.call('GET', '/sessions', undefined, test)).body.data
    expect(outcome(await dashboard.call('DELETE', `/sessions/${sessions[1].id}`, undefined, test))).toEqual([200, undefined])
    expect(outcome(await client.call('GET', '/orders'))).toEqual([401, 'no_session'])
  })

  it('is a use of its key, from its enrolment on', async ({ service, tenant }) => {
    const { id, key } = (await tenant.request('POST', '/api-keys', { name: 'scan', preset: 'full_access' })).body.data
    const lastUse = async (): Promise<string> => (await tenant.request('GET', `/api-keys/${id}`)).body.data.last_used_at
    const client = await enrolled(tenant, {}, key)
    const yearAgo = () =>
      query(service, `update api_keys set last_used_at = now() - interval '1 year' where tenant_id = $1 and id = $2`, [
        tenant.id,
        id,
      ])
    expect(Date.now() - Date.parse(await lastUse())).toBeLessThan(60_000)
    await yearAgo()
    await age(service, tenant, 'last_seen_at', '2 minutes')
    const used = async (): Promise<number> => {
      await client.call('GET', '/orders')
      return Date.now() - Date.parse(await lastUse())
    }
    await expect.poll(used).toBeLessThan(60_000)
  })

  it('of the sandbox can have the calling key or one of the sandbox', async ({ service, tenant }) => {
    const dashboard = await signedIn(service.url, tenant.key)
    const key_id = (await dashboard.send('GET', '/dashboard/session')).body.data.key.id
    const newKey = async (mode: string) =>
      (await tenant.request('POST', '/api-keys', { name: mode, preset: 'read_only', mode })).body.data.id
    const makeCode = async (id: number) => {
      const input = { device_name: 'Test', key_id: id }
      return outcome(await dashboard.call('POST', '/devices/codes', input, { 'x-page-mode': 'test' }))
    }
    expect(await makeCode(key_id)).toEqual([200, undefined])
    expect(await makeCode(await newKey('test'))).toEqual([200, undefined])
    expect(await makeCode(await newKey('live'))).toEqual([404, 'not_found'])
  })

  it('ends with its key: at once here, within a second on another server', async ({ service, tenant, startService }) => {
    const other = await startService({ databaseUrl: service.databaseUrl })
    const { id, key } = (await tenant.request('POST', '/api-keys', { name: 'scan', preset: 'full_access' })).body.data
    const client = await enrolled(tenant, {}, key)
    const elsewhere = new ScanClient(other.url, { cookie: client.cookie })
    expect((await elsewhere.send('GET', '/scan/session')).status).toBe(200)
    await tenant.request('DELETE', `/api-keys/${id}`)
    expect(outcome(await client.send('GET', '/scan/session'))).toEqual([401, 'no_session'])
    await expect.poll(async () => (await elsewhere.send('GET', '/scan/session')).status, { timeout: atMost(1_000) }).toBe(401)
  })

  it('can be ended from the dashboard', async ({ tenant }) => {
    const client = await enrolled(tenant)
    const [{ id }] = await sessionsOf(tenant)
    await tenant.request('DELETE', `/sessions/${id}`)
    expect(outcome(await client.call('GET', '/orders'))).toEqual([401, 'no_session'])
  })

  const age = (service: TestService, tenant: TestTenant, column: string, interval: string) =>
    query(service, `update sessions set ${column} = ${column} - $2::interval where tenant_id = $1`, [tenant.id, interval])

  it('ends when it was not used for 30 days', async ({ service, tenant }) => {
    const client = await enrolled(tenant)
    const background = { 'x-page-background': '1' }
    const read = () => client.send('GET', '/scan/session', undefined, background)
    await age(service, tenant, 'last_seen_at', '29 days 23 hours')
    expect((await read()).status).toBe(200)
    expect(await sessionsOf(tenant)).toHaveLength(1)
    await age(service, tenant, 'last_seen_at', '2 hours')
    await expect.poll(async () => outcome(await read())).toEqual([401, 'no_session'])
    expect(await sessionsOf(tenant)).toEqual([])
  })

  it('ends after 180 days, however much it is used', async ({ service, tenant }) => {
    const client = await enrolled(tenant)
    await age(service, tenant, 'expires_at', '179 days 23 hours')
    expect((await client.send('GET', '/scan/session')).status).toBe(200)
    await age(service, tenant, 'expires_at', '1 hour')
    await expect.poll(async () => outcome(await client.send('GET', '/scan/session'))).toEqual([401, 'no_session'])
  })

  it('is forgotten 210 days after its last enrolment', async ({ service, tenant, startService }) => {
    const ada = await newOperator(tenant)
    for (const days of [209, 211]) {
      const client = await enrolled(tenant)
      await client.scanBadge(ada)
      await query(service, `update devices set enrolled_at = now() - $3 * interval '1 day' where tenant_id = $1 and id = $2`, [
        tenant.id,
        client.device?.id,
        days,
      ])
    }
    const kept = async () =>
      (await query(service, 'select count(*)::int as kept from device_operators where tenant_id = $1', [tenant.id]))[0].kept
    expect(await kept()).toBe(2)
    await startService({ databaseUrl: service.databaseUrl })
    await expect.poll(kept).toBe(1)
  })

  it('is one of at most 1,000 of its tenant, also when several are enrolled at once', async ({ service, tenant }) => {
    await addDevices(service, tenant, 997, {})
    await addDevices(service, tenant, 20, { last_seen_at: `now() - interval '31 days'` })
    await addDevices(service, tenant, 20, { ended_at: 'now()' })
    const newKeyAndCode = async () => newDeviceCode(tenant, {}, await tenant.createKey())
    const codes = await Promise.all(Array.from({ length: 6 }, newKeyAndCode))
    const clients = codes.map(() => new ScanClient(tenant.url, from()))
    const responses = await Promise.all(codes.map((code, i) => clients[i]!.enrol(code)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
    const refused = responses.filter(({ status }) => status !== 200)
    for (const response of refused) {
      expect(outcome(response)).toEqual([400, 'validation_error'])
      expect(response.body.error.message).toContain('at most 1000 enrolled devices')
    }
    // The code of a refused device is not spent, and a known device takes the place that it had.
    const enrolledNow = clients.find(({ cookie }) => cookie !== undefined)!
    const left = codes[responses.indexOf(refused[0]!)]!
    expect((await enrolledNow.enrol(left)).status).toBe(200)
  })
})

/** Each sign-in has an address of its own. */
let addresses = 0
const from = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

async function addDevices(
  service: TestService,
  tenant: TestTenant,
  count: number,
  columns: Record<string, string>,
): Promise<void> {
  const names = Object.keys(columns).map((name) => `, ${name}`)
  const values = Object.values(columns).map((value) => `, ${value}`)
  await query(
    service,
    `insert into sessions (tenant_id, key_id, kind, token_hash, mode, address, device_id, device_name, expires_at${names.join('')})
     select $1, k.id, 'device', sha256(gen_random_uuid()::text::bytea), 'live', '10.0.0.1', 0, 'made', now() + interval '180 days'${values.join('')}
     from api_keys k cross join generate_series(1, $2) where k.tenant_id = $1`,
    [tenant.id, count],
  )
}
