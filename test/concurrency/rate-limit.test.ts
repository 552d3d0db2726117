import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../server/src/config.ts'
import { send, startService, type Answer, type TestService } from '../support/service.ts'

const LIMIT = 60

let servers: TestService[]
beforeAll(async () => {
  const first = await startService({ rateLimitPerMinute: LIMIT })
  const { databaseUrl } = first
  servers = [first, ...(await Promise.all([1, 2].map(() => startService({ databaseUrl, rateLimitPerMinute: LIMIT }))))]
})
afterAll(async () => {
  for (const server of servers.toReversed()) await server.stop()
})

const first = (): TestService => servers[0] as TestService
const ask = (server: TestService, key: string): Promise<Answer> =>
  send(`${server.url}/api/v1/warehouses`, 'GET', undefined, { key })

/** Asks all servers at once, each `times` times, and counts what they let through. */
async function countAllowed(key: string, times: number, asked = servers): Promise<number> {
  const answers = await Promise.all(Array.from({ length: times }, () => asked.map((server) => ask(server, key))).flat())
  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].filter((status) => status !== 200 && status !== 429)).toEqual([])
  return answers.filter(({ status }) => status === 200).length
}

describe('the rate limit of several servers on one database', () => {
  it('lets through exactly the limit of them all together, when each is asked often enough', async () => {
    const { key } = await first().newTenant()
    const allowed = (await countAllowed(key, 20)) + (await countAllowed(key, 40))
    expect(allowed).toBe(LIMIT)
    for (const server of servers) {
      const { status, headers } = await ask(server, key)
      expect([status, headers.get('ratelimit-remaining')]).toEqual([429, '0'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  it('leaves no more than a tenth with a server that gets no more requests', async () => {
    const { key } = await first().newTenant()
    const [one, ...others] = servers as [TestService, ...TestService[]]
    expect((await ask(one, key)).status).toBe(200)
    const allowed = await countAllowed(key, LIMIT, others)
    expect(allowed).toBeLessThan(LIMIT)
    expect(allowed).toBeGreaterThanOrEqual(LIMIT - LIMIT / 10)
    expect(await countAllowed(key, LIMIT, [one])).toBe(LIMIT - 1 - allowed)
  })

  it('counts most requests without asking the database', async () => {
    const { key } = await first().newTenant()
    expect((await ask(first(), key)).status).toBe(200)
    const lock = await first().db.pool.connect()
    await lock.query('begin')
    await lock.query('lock table rate_limit_windows')
    expect((await ask(first(), key)).headers.get('ratelimit-remaining')).toBe(String(LIMIT - 2))
    await lock.query('rollback')
    lock.release()
  })

  it('starts anew with the next minute', async () => {
    const tenant = await first().newTenant()
    const [one, other] = servers as [TestService, TestService]
    await countAllowed(tenant.key, LIMIT, [one])
    await sql`update rate_limit_windows set ends_at = now() where tenant_id = ${tenant.id}`.execute(first().db.kysely)
    const { status, headers } = await ask(other, tenant.key)
    expect([status, headers.get('ratelimit-remaining')]).toEqual([200, String(LIMIT - 1)])
    expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(58)
  })
})

describe('the rate limit of a tenant', () => {
  const TENANT_LIMIT = 100
  let limited: TestService[]
  beforeAll(async () => {
    const config = { rateLimitPerMinute: LIMIT, tenantRateLimitPerMinute: TENANT_LIMIT }
    const one = await startService(config)
    limited = [one, await startService({ ...config, databaseUrl: one.databaseUrl })]
  })
  afterAll(async () => {
    for (const server of limited.toReversed()) await server.stop()
  })

  it('holds for all of its keys together on all servers, and for no other tenant', async () => {
    const [one] = limited as [TestService, TestService]
    const [tenant, other] = [await one.newTenant(), await one.newTenant()]
    const keys = [tenant.key, await tenant.createKey(), await tenant.createKey(), await tenant.createKey()]
    let allowed = 0
    for (const key of keys) allowed += await countAllowed(key, 25, limited)
    expect(allowed).toBe(TENANT_LIMIT)
    const refused = await ask(one, await tenant.createKey())
    expect([refused.status, refused.body.error.code]).toEqual([429, 'rate_limit_exceeded'])
    expect(refused.body.error.message).toContain("All of this tenant's API keys together may make 100 requests a minute")
    expect([refused.headers.get('ratelimit-limit'), refused.headers.get('ratelimit-remaining')]).toEqual(['100', '0'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await ask(one, other.key)).status).toBe(200)
  })

  it('is shown when it leaves less than the limit of the key, and the other one when that does', async () => {
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

  it('counts the sandbox apart', async () => {
    const [one] = limited as [TestService, TestService]
    const tenant = await one.newTenant()
    const sandbox = (await tenant.request('POST', '/api-keys', { name: 'test', preset: 'full_access', mode: 'test' })).body.data
      .key
    const keys = await Promise.all([0, 1].map(() => tenant.createKey()))
    for (const key of keys) await countAllowed(key, 55, [one])
    expect((await ask(one, await tenant.createKey())).status).toBe(429)
    expect((await ask(one, sandbox)).headers.get('ratelimit-remaining')).toBe('59')
  })

  it('is ten times that of a key unless it is set, and off with it', () => {
    const limitOf = (env: Record<string, string>) => readConfig(env).tenantRateLimitPerMinute
    expect(limitOf({})).toBe(6_000)
    expect(limitOf({ RATE_LIMIT_PER_MINUTE: '30' })).toBe(300)
    expect(limitOf({ RATE_LIMIT_PER_MINUTE: '0' })).toBe(0)
    expect(limitOf({ RATE_LIMIT_PER_MINUTE: '30', TENANT_RATE_LIMIT_PER_MINUTE: '40' })).toBe(40)
    expect(limitOf({ TENANT_RATE_LIMIT_PER_MINUTE: '0' })).toBe(0)
  })
})
