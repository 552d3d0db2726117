import { expect } from 'vitest'
import { it as base } from '../../support/it.ts'
import { send } from '../../support/service.ts'
import { outcome, PageClient, signedIn } from '../support/page-client.ts'
import { enrolled, ScanClient } from '../support/scan-client.ts'

const it = base.extend('settings', { scope: 'file' }, { trustProxy: 1 })

/** Each test has an address of its own. */
let addresses = 0
const from = () => ({ 'x-forwarded-for': `198.51.100.${++addresses}` })

async function refusedSignIns(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^fulfillment_sign_ins_refused_total (\d+)$/m.exec(text)?.[1])
}

it('after 10 refused sign-ins a minute an address must wait, and its valid ones never', async ({ service, tenant }) => {
  const client = new PageClient(service.url, from())
  const wrong = [{ key: 'no key' }, { key: `${tenant.key}x` }, { code: 'no code' }, { code: `${tenant.id}-${'0'.repeat(26)}` }]
  for (let i = 0; i < 10; i++) expect((await client.signIn(wrong[i % 4]!)).status).toBe(401)
  const response = await client.signIn(wrong[0]!)
  expect(outcome(response)).toEqual([429, 'rate_limit_exceeded'])
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60)
  expect(outcome(await client.signIn({ key: tenant.key }))).toEqual([200, undefined])
  expect((await client.signIn(wrong[1]!)).status).toBe(429)
  expect((await new PageClient(service.url, from()).signIn(wrong[1]!)).status).toBe(401)
})

it('they are counted over all servers', async ({ service, startService }) => {
  const other = await startService({ trustProxy: 1, databaseUrl: service.databaseUrl })
  const address = from()
  const statuses: number[] = []
  for (let i = 0; i < 14; i++)
    statuses.push((await new PageClient(i % 2 === 0 ? service.url : other.url, address).signIn({ key: 'no key' })).status)
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10)
  expect(statuses.at(-1)).toBe(429)
})

it.for([
  ['the addresses of an IPv6 network, a /64', (n: number) => `2001:db8:1:2:${n}:0:${n}:1`, '2001:db8:1:3::1'],
  [
    'an IPv4 address in its forms, with the ports of a proxy',
    (n: number) => (n % 2 === 0 ? `192.0.2.7:${n}` : '::ffff:192.0.2.7'),
    '192.0.2.8',
  ],
  [
    'an IPv6 address in its forms, with the ports of a proxy',
    (n: number) => (n % 2 === 0 ? `[2001:DB8:7::7]:${n}` : '2001:db8:7:0:0::7'),
    '2001:db8:8::7',
  ],
] as const)('%s are one source, and its neighbour is another', async ([, address, neighbour], { service }) => {
  const statusFrom = async (one: string) =>
    (await new PageClient(service.url, { 'x-forwarded-for': one }).signIn({ key: 'no key' })).status
  for (let n = 1; n <= 10; n++) expect(await statusFrom(address(n))).toBe(401)
  expect([await statusFrom(address(11)), await statusFrom(address(12)), await statusFrom(neighbour)]).toEqual([429, 429, 401])
})

it('refusals of the guard and invalid input do not count', async ({ service }) => {
  const client = new PageClient(service.url, from())
  for (let i = 0; i < 12; i++) {
    expect((await client.signIn({ key: 'no key' }, { 'x-page': undefined })).status).toBe(403)
    expect((await client.send('POST', '/dashboard/session', {})).status).toBe(400)
  }
  expect((await client.signIn({ key: 'no key' })).status).toBe(401)
})

it('a value that is too long counts as one that is wrong', async ({ service, tenant }) => {
  const long = 'a'.repeat(300)
  const device = await enrolled(tenant)
  const before = await refusedSignIns(service.url)
  const client = new PageClient(service.url, from())
  const longest = `service_live_${'a'.repeat(4_096 - '{"key":"service_live_"}'.length)}`
  for (const key of [`service_live_${long}`, longest])
    expect(outcome(await client.signIn({ key }))).toEqual([401, 'invalid_api_key'])
  expect(outcome(await client.signIn({ code: long }))).toEqual([401, 'invalid_code'])
  expect(outcome(await new ScanClient(service.url, from()).enrol(long))).toEqual([401, 'invalid_code'])
  expect(outcome(await device.scanBadge({ id: 1, badge: long }))).toEqual([401, 'invalid_code'])
  for (const invalid of [{ key: 7 }, { code: {} }, { key: `${long}\u0000` }])
    expect(outcome(await client.send('POST', '/dashboard/session', invalid))).toEqual([400, 'validation_error'])
  await expect.poll(() => refusedSignIns(service.url)).toBe(before + 5)
})

it('each one is in the metric, and in no tenant’s audit log', async ({ service, tenant }) => {
  const before = await refusedSignIns(service.url)
  await new PageClient(service.url, from()).signIn({ key: `${tenant.key}x` })
  await new PageClient(service.url, from()).signIn({ code: `${tenant.id}-${'0'.repeat(26)}` })
  await new PageClient(service.url, from()).signIn({ key: tenant.key })
  await expect.poll(() => refusedSignIns(service.url)).toBe(before + 2)
  const { entries } = (await tenant.request('GET', '/audit-log')).body.data
  expect(entries.map(({ operation }: { operation: string }) => operation)).toEqual(['sessions.start'])
})

it('a sign-in with a key counts against the limit of the key', async ({ startService }) => {
  const service = await startService({ rateLimitPerMinute: 3 })
  const { key } = await service.newTenant()
  for (let i = 0; i < 3; i++) expect((await new PageClient(service.url).signIn({ key })).status).toBe(200)
  const response = await new PageClient(service.url).signIn({ key })
  expect(outcome(response)).toEqual([429, 'rate_limit_exceeded'])
  expect(Number(response.headers['retry-after'])).toBeGreaterThan(0)
})

it('sessions of a tenant share an allowance of their own, and each has at most that of a key', async ({ startService }) => {
  const service = await startService({ rateLimitPerMinute: 10, tenantRateLimitPerMinute: 15 })
  const tenant = await service.newTenant()
  const clients = [await signedIn(service.url, tenant.key), await signedIn(service.url, tenant.key)] as const
  const calls = async (client: PageClient, count: number, mode = 'live') => {
    const statuses: number[] = []
    for (let i = 0; i < count; i++)
      statuses.push((await client.call('GET', '/orders', undefined, { 'x-page-mode': mode })).status)
    return statuses.filter((status) => status === 200).length
  }
  // Ten of one session in both modes together.
  expect(await calls(clients[0], 6)).toBe(6)
  expect(await calls(clients[0], 6, 'test')).toBe(4)
  const alone = await clients[0].call('GET', '/orders')
  expect(alone.body.error.message).toMatch(/^This session may make 10 requests a minute; try again in \d+ s$/)
  // Fifteen of all sessions together on live data: nine more.
  expect(await calls(clients[1], 10)).toBe(9)
  const third = await signedIn(service.url, tenant.key)
  const together = await third.call('GET', '/orders')
  expect([together.status, together.headers['ratelimit-limit']]).toEqual([429, '15'])
  expect(together.body.error.message).toMatch(
    /^All of this tenant's sessions together may make 15 requests a minute; try again in \d+ s$/,
  )
  // Keys have all that the sign-ins left them.
  const byKey = async () => (await send(`${service.url}/api/v1/orders`, 'GET', undefined, { key: tenant.key })).status
  for (let i = 0; i < 7; i++) expect(await byKey()).toBe(200)
})
