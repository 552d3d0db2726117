import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { it as base } from '../support/it.ts'
import { readConfig } from '@fulfillment/server/config.ts'
import { RequestAllowance } from '@fulfillment/server/http/limits/request-allowance.ts'
import { send, startService, type ServiceResponse, type TestService } from '../support/service.ts'

const LIMIT = 60
const TENANT_LIMIT = 100

const it = base
  .extend('settings', { scope: 'file' }, { rateLimitPerMinute: LIMIT })
  .extend('servers', { scope: 'file' }, async ({ service, settings }, { onCleanup }) => {
    const { databaseUrl } = service
    const others = await Promise.all([1, 2].map(() => startService({ ...settings, databaseUrl })))
    onCleanup(async () => void (await Promise.all(others.map((server) => server.stop()))))
    return [service, ...others]
  })
  // Two servers that also limit all keys of a tenant together.
  .extend('limited', { scope: 'file' }, async ({ service, settings }, { onCleanup }) => {
    const limits = { ...settings, tenantRateLimitPerMinute: TENANT_LIMIT, databaseUrl: service.databaseUrl }
    const limited = await Promise.all([1, 2].map(() => startService(limits)))
    onCleanup(async () => void (await Promise.all(limited.map((server) => server.stop()))))
    return limited
  })

const ask = (server: TestService, key: string): Promise<ServiceResponse> =>
  send(`${server.url}/api/v1/warehouses`, 'GET', undefined, { key })

/** Sends `times` requests to each server at once, and counts the admitted ones. */
async function countAllowed(key: string, times: number, asked: readonly TestService[]): Promise<number> {
  const responses = await Promise.all(Array.from({ length: times }, () => asked.map((server) => ask(server, key))).flat())
  const statuses = new Set(responses.map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([])
  return responses.filter(({ status }) => status === 200).length
}

describe('the rate limit across several servers', () => {
  it('admits exactly the limit over all servers, if each gets enough requests', async ({ servers, tenant: { key } }) => {
    const allowed = (await countAllowed(key, 20, servers)) + (await countAllowed(key, 40, servers))
    expect(allowed).toBe(LIMIT)
    for (const server of servers) {
      const { status, headers } = await ask(server, key)
      expect([status, headers.get('ratelimit-remaining')]).toEqual([429, '0'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  it('leaves at most a tenth of the limit with an idle server', async ({ servers, tenant: { key } }) => {
    const [one, ...others] = servers as [TestService, ...TestService[]]
    expect((await ask(one, key)).status).toBe(200)
    const allowed = await countAllowed(key, LIMIT, others)
    expect(allowed).toBeLessThan(LIMIT)
    expect(allowed).toBeGreaterThanOrEqual(LIMIT - LIMIT / 10)
    expect(await countAllowed(key, LIMIT, [one])).toBe(LIMIT - 1 - allowed)
  })

  it('counts most requests without a query', async ({ service, tenant: { key } }) => {
    expect((await ask(service, key)).status).toBe(200)
    const lock = await service.db.dedicatedPool.connect()
    await lock.query('begin')
    await lock.query('lock table rate_limit_windows')
    expect((await ask(service, key)).headers.get('ratelimit-remaining')).toBe(String(LIMIT - 2))
    await lock.query('rollback')
    lock.release()
  })

  it('starts again with the next minute', async ({ service, servers, tenant }) => {
    const [one, other] = servers as [TestService, TestService]
    await countAllowed(tenant.key, LIMIT, [one])
    await sql`update rate_limit_windows set ends_at = now() where tenant_id = ${tenant.id}`.execute(service.db.kysely)
    const { status, headers } = await ask(other, tenant.key)
    expect([status, headers.get('ratelimit-remaining')]).toEqual([200, String(LIMIT - 1)])
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(58)
  })

  it('does not wait for a minute of before the clock of Postgres was set back', async ({ service, servers, tenant }) => {
    const [one, other] = servers as [TestService, TestService]
    await countAllowed(tenant.key, LIMIT, [one])
    await sql`update rate_limit_windows set ends_at = now() + interval '1 hour' where tenant_id = ${tenant.id}`.execute(
      service.db.kysely,
    )
    const { status, headers } = await ask(other, tenant.key)
    expect([status, headers.get('ratelimit-remaining')]).toEqual([200, String(LIMIT - 1)])
  })
})

it('counts are deleted minutes after their minute: every session and every address of a refused sign-in has one', async ({
  service,
  startService,
  tenant,
}) => {
  await service.db.dedicatedPool.query(`
    insert into rate_limit_windows (tenant_id, key_id, ends_at, taken, granted)
    select ${tenant.id}, minutes, now() - make_interval(mins => minutes), 1, 1 from generate_series(-1, 20, 3) minutes`)
  await startService({ databaseUrl: service.databaseUrl })
  const kept = async (): Promise<number[]> =>
    (
      await service.db.dedicatedPool.query<{ minutes: number }>(
        `select key_id::int as minutes from rate_limit_windows where tenant_id = ${tenant.id} order by 1`,
      )
    ).rows.map(({ minutes }) => minutes)
  await expect.poll(kept).toEqual([-1, 2, 5, 8])
})

it('counting takes no longer when many are counted in a minute: everybody has many addresses to be refused from', async ({
  service,
}) => {
  const allowance = new RequestAllowance(() => service.db, LIMIT)
  let counted = 0
  /** Processor time of this process, in milliseconds. */
  const countMore = async (times: number): Promise<number> => {
    const before = process.cpuUsage()
    for (const end = counted + times; counted < end; counted += 500)
      await Promise.all(Array.from({ length: 500 }, async (_, index) => await allowance.take(0, counted + index)))
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  }
  await countMore(2_000)
  // The best of three: memory is collected in between.
  const best = async (): Promise<number> => Math.min(await countMore(1_000), await countMore(1_000), await countMore(1_000))
  const first = await best()
  await countMore(20_000)
  expect(await best()).toBeLessThan(4 * first)
})

describe('the rate limit of a tenant', () => {
  it('applies to all of its keys on all servers, and to no other tenant', async ({ limited }) => {
    const [one] = limited as [TestService, TestService]
    const [tenant, other] = [await one.newTenant(), await one.newTenant()]
    const keys = [tenant.key, await tenant.createKey(), await tenant.createKey(), await tenant.createKey()]
    let allowed = 0
    for (const key of keys) allowed += await countAllowed(key, 25, limited)
    expect(allowed).toBe(TENANT_LIMIT)
    const refused = await ask(one, await tenant.createKey())
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.body.error.message).toMatch(
      /^All of this tenant's API keys together may make 100 requests a minute; try again in \d+ s$/,
    )
    expect([refused.headers.get('ratelimit-limit'), refused.headers.get('ratelimit-remaining')]).toEqual(['100', '0'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask(one, other.key)).status).toBe(200)
  })

  it('is reported if it is closer than the limit of the key, otherwise the limit of the key is', async ({ limited }) => {
    const [one] = limited as [TestService, TestService]
    const tenant = await one.newTenant()
    const shown = async (key: string): Promise<(string | null)[]> => {
      const { headers } = await ask(one, key)
      return [headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]
    }
    expect(await shown(tenant.key)).toEqual(['60', '59'])
    expect(await countAllowed(tenant.key, 50, [one])).toBe(50)
    const key = await tenant.createKey()
    expect(await shown(key)).toEqual(['100', '48'])
  })

  it('counts the sandbox separately', async ({ limited }) => {
    const [one] = limited as [TestService, TestService]
    const tenant = await one.newTenant()
    const sandbox = (await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })).body.data
      .key
    const keys = await Promise.all([0, 1].map(() => tenant.createKey()))
    for (const key of keys) await countAllowed(key, 55, [one])
    expect((await ask(one, await tenant.createKey())).status).toBe(429)
    expect((await ask(one, sandbox)).headers.get('ratelimit-remaining')).toBe('59')
  })

  it('is ten times that of a key by default, and off if that is off', () => {
    const limitOf = (env: Record<string, string>) => readConfig(env).tenantRateLimitPerMinute
    expect(limitOf({})).toBe(6_000)
    expect(limitOf({ RATE_LIMIT_PER_MINUTE: '30' })).toBe(300)
    expect(limitOf({ RATE_LIMIT_PER_MINUTE: '0' })).toBe(0)
    expect(limitOf({ RATE_LIMIT_PER_MINUTE: '30', TENANT_RATE_LIMIT_PER_MINUTE: '40' })).toBe(40)
    expect(limitOf({ TENANT_RATE_LIMIT_PER_MINUTE: '0' })).toBe(0)
  })
})
