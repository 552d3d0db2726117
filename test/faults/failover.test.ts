import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { send, type ServiceResponse, type TestTenant } from '../support/service.ts'
import type { DatabaseProxy } from './support/database-proxy.ts'
import { it as base } from './support/it.ts'
import type { Loaded } from './support/loaded-tenant.ts'
import { expectNothingLost } from './support/nothing-lost.ts'
import type { PostgresServer } from './support/postgres-servers.ts'

/** `npm run test:faults` runs several failovers in a row, each to a standby of the previously promoted server, and the long tests. */
const LONG = process.env.FAULTS === 'long'
const ROUNDS = LONG ? 5 : 1
const LOAD_MS = 1_500

interface Databases {
  primary: PostgresServer
  standby: PostgresServer
  /** The service's database address. It always leads to the primary. */
  address: DatabaseProxy
  /** Adds a synchronous standby: it has every commit before the commit is acknowledged. */
  addStandby(): Promise<void>
}

/** `it` with a primary and its standby, and an API server and a worker under load. */
const it = base
  .extend('databases', { scope: 'file' }, async ({ startPostgres, startStandby, startProxy }): Promise<Databases> => {
    const primary = await startPostgres()
    const databases: Databases = {
      primary,
      standby: await addStandbyTo(primary, startStandby),
      address: await startProxy(primary.url),
      addStandby: async () => {
        databases.standby = await addStandbyTo(databases.primary, startStandby)
      },
    }
    return databases
  })
  .extend('loaded', { scope: 'file' }, async ({ databases, startLastingProcess, startLoad }) => {
    const settings = { DATABASE_URL: databases.address.url, LOG_LEVEL: 'warn' }
    const api = await startLastingProcess({ ...settings, ROLE: 'api', RATE_LIMIT_PER_MINUTE: '1000000' })
    await startLastingProcess({ ...settings, ROLE: 'worker', MONITORING_PORT: String(await freePort()) })
    return await startLoad(databases.address.url, api.url)
  })

async function addStandbyTo(
  primary: PostgresServer,
  startStandby: (primary: PostgresServer, name: string) => Promise<PostgresServer>,
): Promise<PostgresServer> {
  const standby = await startStandby(primary, 'standby')
  await primary.query(`alter system set synchronous_standby_names = 'standby'`)
  await primary.query('select pg_reload_conf()')
  const isSynchronous = async (): Promise<boolean> =>
    (await primary.query(`select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1
  while (!(await isSynchronous())) await delay(20)
  return standby
}

const adjust = (tenant: TestTenant): Promise<ServiceResponse> =>
  tenant.request('POST', '/stock/adjustment', { product_id: 1, location_id: 'A', adjustment_quantity: 1 })

/** While the address leads to a standby: reads work; changes and readiness checks get 503 with Retry-After. */
async function expectReadOnlyService(tenant: TestTenant, otherKey: string): Promise<void> {
  await expect.poll(async () => (await tenant.request('GET', '/products/1')).status).toBe(200)
  const changes = [
    await adjust(tenant),
    await tenant.request('POST', '/warehouses', { name: 'never' }),
    await tenant.request('POST', '/warehouses', { name: 'never' }, { headers: { 'idempotency-key': 'never' } }),
    await tenant.request('PUT', '/products/1', { name: 'never' }),
    // A key without previous requests: its rate limit window must be created in the database.
    await tenant.request('GET', '/products/1', undefined, { key: otherKey }),
  ]
  const readiness = await send(`${tenant.url}/readyz`, 'GET', undefined, {})
  for (const { status, headers, body } of [...changes, readiness])
    expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '1', 'service_unavailable'])
}
/** Stops replication: the standby no longer receives the commits of the primary. */
async function holdBackReplication(primary: PostgresServer): Promise<void> {
  const { rows } = await primary.query('select pid from pg_stat_replication')
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
}

async function expectFailover(databases: Databases, { tenant, load }: Loaded): Promise<void> {
  const { primary, standby, address } = databases
  const otherKey = await tenant.createKey()
  await delay(LOAD_MS * (0.5 + Math.random()))
  await holdBackReplication(primary)
  await delay(300)
  await primary.kill()
  address.pointTo(standby.url)
  address.cut()
  await expectReadOnlyService(tenant, otherKey)
  const before = load.acknowledged
  await standby.query('select pg_promote()')
  await expect.poll(() => load.acknowledged, { interval: 20 }).toBeGreaterThan(before)
  databases.primary = standby
  expect(load.faults).toEqual([])
}

describe('when the primary is lost and its synchronous standby promoted, under mixed load', () => {
  it('responds with 503 meanwhile, and recovers without help', { timeout: 120_000 * ROUNDS }, async ({ databases, loaded }) => {
    await expectFailover(databases, loaded)
    for (let round = 1; round < ROUNDS; round++) {
      await databases.addStandby()
      await expectFailover(databases, loaded)
    }
  })

  it('has every acknowledged write exactly once and complete, and delivers every event', async ({ loaded }) => {
    await delay(LOAD_MS)
    await expectNothingLost(loaded, { endsLeases: false, withinMs: 40_000 })
  })
})

describe('while the synchronous standby is missing', () => {
  it.runIf(LONG)('acknowledges no change, and does when it is back', async ({ databases, loaded: { tenant } }) => {
    await databases.addStandby()
    const { standby } = databases
    await standby.kill()
    // The database's statement timeout must not end the wait for the standby: the write would be acknowledged but exist on one server only.
    const response = await adjust(tenant)
    expect([response.status, response.body.error.code]).toEqual([503, 'service_unavailable'])
    expect((await tenant.request('GET', '/products/1')).status).toBe(200)
    await standby.start()
    await expect.poll(async () => (await adjust(tenant)).status).toBe(200)
  })
})
