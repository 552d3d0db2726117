import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type Database } from '../../server/src/database/database.ts'
import { freePort, startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { send, type Answer, type TestTenant } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/support/receiver.ts'
import { startDatabaseProxy, type DatabaseProxy } from './support/database-proxy.ts'
import { Load } from './support/load.ts'
import { newProducts, newTenant } from './support/loaded-tenant.ts'
import { expectNothingLost } from './support/nothing-lost.ts'
import { startPostgres, startStandby, type PostgresServer } from './support/postgres-servers.ts'

/** `npm run test:faults`: several failovers in a row, each to a standby of the server promoted before, and what takes long. */
const LONG = process.env.FAULTS === 'long'
const ROUNDS = LONG ? 5 : 1
const LOAD_MS = 1_500

let primary: PostgresServer
let standby: PostgresServer
const servers: PostgresServer[] = []
/** The address that the service knows, which is always that of the primary. */
let address: DatabaseProxy
let api: ServerProcess
let worker: ServerProcess
let db: Database
let receiver: Receiver
let tenant: TestTenant
let load: Load

beforeAll(async () => {
  primary = await startPostgres()
  servers.push(primary)
  await addStandby()
  address = await startDatabaseProxy(primary.url)
  const settings = { DATABASE_URL: address.url, LOG_LEVEL: 'warn' }
  api = await startServerProcess({ ...settings, ROLE: 'api', RATE_LIMIT_PER_MINUTE: '1000000' })
  worker = await startServerProcess({ ...settings, ROLE: 'worker', MONITORING_PORT: String(await freePort()) })
  db = openDatabase(address.url, { maxConnections: 2, pipelinedConnections: 1 })
  receiver = await startReceiver()
  tenant = await newTenant(db, () => api.url)
  await tenant.request('POST', '/webhooks', { name: 'everything', url: receiver.url, events: ['*'] })
  load = new Load(api.url, tenant.key, await newProducts(db, tenant))
})

afterAll(async () => {
  await load.stop()
  await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL')])
  await receiver.close()
  await db.close()
  await address.close()
  for (const server of servers) await server.remove()
})

/** Adds a standby that has every commit before it is acknowledged. */
async function addStandby(): Promise<void> {
  standby = await startStandby(primary, 'standby')
  servers.push(standby)
  await primary.query(`alter system set synchronous_standby_names = 'standby'`)
  await primary.query('select pg_reload_conf()')
  const isSynchronous = async (): Promise<boolean> =>
    (await primary.query(`select from pg_stat_replication where sync_state = 'sync'`)).rowCount === 1
  while (!(await isSynchronous())) await delay(20)
}

const adjust = (): Promise<Answer> =>
  tenant.request('POST', '/stock/adjustment', { product_id: 1, location_id: 'A', adjustment_quantity: 1 })

/** Of requests while the address leads to a standby: changes are refused for a while, and nothing is a fault of the server. */
async function expectReadOnlyService(): Promise<void> {
  await expect.poll(async () => (await tenant.request('GET', '/products/1')).status).toBe(200)
  const changes = [
    await adjust(),
    await tenant.request('POST', '/warehouses', { name: 'never' }),
    await tenant.request('POST', '/warehouses', { name: 'never' }, { headers: { 'idempotency-key': 'never' } }),
    await tenant.request('PUT', '/products/1', { name: 'never' }),
    // A key that was not used before: the requests of its minute are counted in the database.
    await tenant.request('GET', '/products/1', undefined, { key: await otherKey }),
  ]
  const readiness = await send(`${api.url}/readyz`, 'GET', undefined, {})
  for (const { status, headers, body } of [...changes, readiness])
    expect([status, headers.get('retry-after'), body.error.code]).toEqual([503, '1', 'service_unavailable'])
}
let otherKey: Promise<string>

/** What the primary commits from now on does not get to the standby any more. */
async function holdBackReplication(): Promise<void> {
  const { rows } = await primary.query('select pid from pg_stat_replication')
  for (const { pid } of rows) process.kill(pid, 'SIGSTOP')
}

async function expectFailover(): Promise<void> {
  otherKey = tenant.createKey()
  await otherKey
  await delay(LOAD_MS * (0.5 + Math.random()))
  await holdBackReplication()
  await delay(300)
  await primary.kill()
  address.pointTo(standby.url)
  address.cut()
  await expectReadOnlyService()
  const before = load.acknowledged
  await standby.query('select pg_promote()')
  await expect.poll(() => load.acknowledged, { interval: 20 }).toBeGreaterThan(before)
  primary = standby
  expect(load.faults).toEqual([])
}

describe('when the primary is lost and its synchronous standby promoted, under mixed load', () => {
  it('answers 503 meanwhile, and serves by itself again', { timeout: 120_000 * ROUNDS }, async () => {
    await expectFailover()
    for (let round = 1; round < ROUNDS; round++) {
      await addStandby()
      await expectFailover()
    }
  })

  it('has every acknowledged write once, nothing by halves, and delivers every event', async () => {
    await delay(LOAD_MS)
    await expectNothingLost({ db, tenant, load, receiver }, { endsLeases: false, withinMs: 40_000 })
  })
})

describe('while the synchronous standby is missing', () => {
  it.runIf(LONG)('acknowledges no change, and does when it is back', async () => {
    await addStandby()
    await standby.kill()
    // Not the database's time limit ends the wait for the standby: that would acknowledge what is on one server only.
    const answer = await adjust()
    expect([answer.status, answer.body.error.code]).toEqual([503, 'service_unavailable'])
    expect((await tenant.request('GET', '/products/1')).status).toBe(200)
    await standby.start()
    await expect.poll(async () => (await adjust()).status).toBe(200)
  })
})
