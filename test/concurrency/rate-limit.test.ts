import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
